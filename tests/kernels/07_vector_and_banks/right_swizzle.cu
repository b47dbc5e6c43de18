// expect: passed
// A swizzle in place of padding: the column is turned by 8 for each group of four k.

// IN PLACE OF
#define PAD 4
// STANDS
#define PAD 0
#define SWIZZLE(k, r) ((r) ^ (8 * ((k) / 4 % 4)))
// IN PLACE OF
            As[c + 0][r] = v.x;
            As[c + 1][r] = v.y;
            As[c + 2][r] = v.z;
            As[c + 3][r] = v.w;
// STANDS
            As[c + 0][SWIZZLE(c, r)] = v.x;
            As[c + 1][SWIZZLE(c, r)] = v.y;
            As[c + 2][SWIZZLE(c, r)] = v.z;
            As[c + 3][SWIZZLE(c, r)] = v.w;
// IN PLACE OF
                read4(&As[k][ty * TM + m], &a[m]);
// STANDS
                read4(&As[k][SWIZZLE(k, ty * TM + m)], &a[m]);
