// expect: wrong_result
// says: C[0][4] holds the value of C[0][1]; for one column
// Neighbouring threads read overlapping columns: tx moves by 1 and not by TN.

// IN PLACE OF
                b[n] = Bs[k][tx * TN + n];
// STANDS
                b[n] = Bs[k][tx + n];
