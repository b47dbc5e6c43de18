// expect: out_of_bounds
// says: of A; guard must test
// Slots outside the matrix are copied like all others.

// IN PLACE OF
    __pipeline_memcpy_async(to, from, 4, inside ? 0 : 4);
// STANDS
    __pipeline_memcpy_async(to, from, 4);
