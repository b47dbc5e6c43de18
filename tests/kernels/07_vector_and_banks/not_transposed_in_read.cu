// expect: out_of_bounds
// says: As[16][0]; float As[16][68]; inside the tile
// As is stored transposed and read straight.

// IN PLACE OF
                read4(&As[k][ty * TM + m], &a[m]);
// STANDS
                a[m] = As[ty * TM + m][k];
                a[m + 1] = As[ty * TM + m + 1][k];
                a[m + 2] = As[ty * TM + m + 2][k];
                a[m + 3] = As[ty * TM + m + 3][k];
