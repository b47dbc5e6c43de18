// expect: passed
// A swizzle in place of padding: the column is turned by 8 for each group of four k.

// IN PLACE OF
#define PAD 4
// STANDS
#define PAD 0
#define SWIZZLE(k, r) ((r) ^ (8 * ((k) / 4 % 4)))
// IN PLACE OF
            As[a_col + 0][r] = v.x;
            As[a_col + 1][r] = v.y;
            As[a_col + 2][r] = v.z;
            As[a_col + 3][r] = v.w;
// STANDS
            As[a_col + 0][SWIZZLE(a_col, r)] = v.x;
            As[a_col + 1][SWIZZLE(a_col, r)] = v.y;
            As[a_col + 2][SWIZZLE(a_col, r)] = v.z;
            As[a_col + 3][SWIZZLE(a_col, r)] = v.w;
// IN PLACE OF
                read4(&As[k][ty * 4 + m * (BM / TM)], &a[m]);
// STANDS
                read4(&As[k][SWIZZLE(k, ty * 4 + m * (BM / TM))], &a[m]);
