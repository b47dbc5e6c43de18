// expect: uninitialized
// says: shared memory that no thread has written
// As is read as if its rows were not padded.

// IN PLACE OF
                read4(&As[k][ty * 4 + m * (BM / TM)], &a[m]);
// STANDS
                read4(&As[0][0] + k * BM + ty * 4 + m * (BM / TM), &a[m]);
