// expect: out_of_bounds
// says: of A; beyond its end
// A is read beyond its last column.

// IN PLACE OF
            As[i / BK][i % BK] = (r < M && c < K) ? A[r * K + c] : __half(0.0f);
// STANDS
            As[i / BK][i % BK] = r < M ? A[r * K + c] : __half(0.0f);
