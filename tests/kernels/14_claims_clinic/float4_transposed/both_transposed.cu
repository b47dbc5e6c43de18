// expect: wrong_result
// says: look at the indices of As
// As is read as if it were stored transposed, too.

// IN PLACE OF
            acc += As[ty][k] * Bs[tx][k];
// STANDS
            acc += As[k][ty] * Bs[tx][k];
