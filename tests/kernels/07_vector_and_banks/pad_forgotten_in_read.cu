// expect: uninitialized
// says: shared memory that no thread has written
// As is read as if its rows were not padded.

// IN PLACE OF
                read4(&As[k][ty * TM + m], &a[m]);
// STANDS
                read4(&As[0][0] + k * BM + ty * TM + m, &a[m]);
