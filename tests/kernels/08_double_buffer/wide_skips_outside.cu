// expect: uninitialized
// says: shared memory that no thread has written
// Where the four lie outside, the wide path leaves the buffer as it is.

// BLANK wide
        if (left > 0) __pipeline_memcpy_async(to, from, 16);
