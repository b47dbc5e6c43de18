// expect: out_of_bounds
// says: of B; guard must test
// The wide copy takes what lies beyond the edge.

// IN PLACE OF
        __pipeline_memcpy_async(to, from, 16, left > 0 ? 0 : 16);
// STANDS
        __pipeline_memcpy_async(to, from, 16);
