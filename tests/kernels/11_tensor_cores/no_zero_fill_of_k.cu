// expect: out_of_bounds
// says: of A
// A is read beyond its last column.

// IN PLACE OF
(r < M && c < K) ? A[r * K + c] : __half(0.0f);
// STANDS
r < M ? A[r * K + c] : __half(0.0f);
