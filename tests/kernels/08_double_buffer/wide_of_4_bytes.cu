// expect: uninitialized
// says: shared memory that no thread has written
// The wide copy takes one element of the four.

// IN PLACE OF
        __pipeline_memcpy_async(to, from, 16, left > 0 ? 0 : 16);
// STANDS
        __pipeline_memcpy_async(to, from, 4, left > 0 ? 0 : 4);
