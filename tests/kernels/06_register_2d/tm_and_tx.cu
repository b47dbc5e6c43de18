// expect: out_of_bounds
// says: As[64][0]; inside the tile
// tx and ty change places in both fragments.

// IN PLACE OF
                a[m] = As[ty * TM + m][k];
// STANDS
                a[m] = As[tx * TM + m][k];
// IN PLACE OF
                b[n] = Bs[k][tx * TN + n];
// STANDS
                b[n] = Bs[k][ty * TN + n];
