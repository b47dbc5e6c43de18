// expect: passed
// The product in double precision: slower on a GPU, not wrong.

// BLANK fma
acc += (float)((double)As[ty][k] * (double)Bs[k][tx]);
