// expect: wrong_result
// says: As[k][ty] * Bs[tx][k]; indices of As and Bs
// As and Bs are read down the wrong direction: the transposes are multiplied.

// BLANK fma
acc += As[k][ty] * Bs[tx][k];
