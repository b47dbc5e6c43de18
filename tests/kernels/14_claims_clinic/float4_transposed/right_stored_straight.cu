// expect: passed
// Bs is stored as it lies in B, and read so.

// IN PLACE OF
            Bs[tx * 4 + 0][ty] = b.x;
            Bs[tx * 4 + 1][ty] = b.y;
            Bs[tx * 4 + 2][ty] = b.z;
            Bs[tx * 4 + 3][ty] = b.w;
// STANDS
            Bs[ty][tx * 4 + 0] = b.x;
            Bs[ty][tx * 4 + 1] = b.y;
            Bs[ty][tx * 4 + 2] = b.z;
            Bs[ty][tx * 4 + 3] = b.w;
// IN PLACE OF
            acc += As[ty][k] * Bs[tx][k];
// STANDS
            acc += As[ty][k] * Bs[k][tx];
