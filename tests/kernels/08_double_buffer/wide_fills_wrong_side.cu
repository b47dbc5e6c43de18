// expect: wrong_result
// says: elements of C are 0; what fills the tiles
// The zero fill is turned round: inside it puts zeros.

// IN PLACE OF
        __pipeline_memcpy_async(to, from, 16, left > 0 ? 0 : 16);
// STANDS
        __pipeline_memcpy_async(to, from, 16, left > 0 ? 16 : 0);
