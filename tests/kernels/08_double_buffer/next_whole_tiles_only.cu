// expect: uninitialized
// says: shared memory that no thread has written
// A last tile that is not full is not copied.

// IN PLACE OF
        if (k0 + BK < K) {
// STANDS
        if (k0 + 2 * BK <= K) {
