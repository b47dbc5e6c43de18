// expect: passed
// A thread takes every 16th column: a store of a warp then goes to neighbouring columns.

// IN PLACE OF
    const int col = col0 + tx * TN;
// STANDS
    const int col = col0 + tx;
// IN PLACE OF
                b[n] = Bs[k][tx * TN + n];
// STANDS
                b[n] = Bs[k][tx + n * (BN / TN)];
// IN PLACE OF
            if (row + m < M && col + n < N) {
                C[(row + m) * N + (col + n)] = acc[m][n];
// STANDS
            const int c = col + n * (BN / TN);
            if (row + m < M && c < N) {
                C[(row + m) * N + c] = acc[m][n];
