// expect: race
// says: read after write; while
// Nothing orders the warps at all.

// BLANK first_barrier
// BLANK second_barrier
