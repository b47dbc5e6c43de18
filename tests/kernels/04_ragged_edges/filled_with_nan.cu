// expect: wrong_result
// says: NaN
// A slot outside A holds NaN, and NaN times 0 is NaN.

// BLANK load_a
As[ty][tx] = (row < M && k0 + tx < K) ? A[row * K + (k0 + tx)] : nanf("");
