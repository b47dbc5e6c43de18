// expect: uninitialized
// says: shared memory that no thread has written; fill every element of the tile
// Each thread copies one element, as when a tile had as many elements as the block has threads.

// IN PLACE OF
        for (int i = tid; i < BM * BK; i += THREADS) {
// STANDS
        for (int i = tid; i < THREADS; i += THREADS) {
