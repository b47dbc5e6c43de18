// expect: out_of_bounds
// says: As[64][0]; float As[16][132]; inside the tile
// As is stored transposed and read straight.

// IN PLACE OF
                read4(&As[k][ty * 4 + m * (BM / TM)], &a[m]);
// STANDS
                a[m] = As[ty * 4 + m * (BM / TM)][k];
                a[m + 1] = As[ty * 4 + m * (BM / TM) + 1][k];
                a[m + 2] = As[ty * 4 + m * (BM / TM) + 2][k];
                a[m + 3] = As[ty * 4 + m * (BM / TM) + 3][k];
