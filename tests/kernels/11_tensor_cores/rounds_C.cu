// expect: wrong_result
// says: only numbers that float16 has; belong in float
// C goes through float16 at the end, and never before.

// IN PLACE OF
            C[(row0 + r) * N + col0 + c] = Cs[r][c];
// STANDS
            C[(row0 + r) * N + col0 + c] = __half2float(__float2half(Cs[r][c]));
