// expect: out_of_bounds
// says: of B; guard against K
// The wide copy takes what lies beyond the edge.

// IN PLACE OF
        __pipeline_memcpy_async(to, inside ? X + r * cols + c : X, 16, inside ? 0 : 16);
// STANDS
        __pipeline_memcpy_async(to, X + r * cols + c, 16);
