// expect: uninitialized
// says: shared memory that no thread has written
// The wide copy takes one element of the four.

// IN PLACE OF
        __pipeline_memcpy_async(to, inside ? X + r * cols + c : X, 16, inside ? 0 : 16);
// STANDS
        __pipeline_memcpy_async(to, inside ? X + r * cols + c : X, 4, inside ? 0 : 4);
