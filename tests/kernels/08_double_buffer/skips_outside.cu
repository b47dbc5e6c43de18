// expect: uninitialized
// says: shared memory that no thread has written; with 0 where the matrix ends
// Slots outside the matrix are not filled at all.

// IN PLACE OF
    __pipeline_memcpy_async(to, from, 4, inside ? 0 : 4);
// STANDS
    if (inside) __pipeline_memcpy_async(to, from, 4);
