// expect: uninitialized
// says: shared memory that no thread has written; fill every element of the tile
// Each thread copies one element, as when a tile had as many elements as the block has threads.

// IN PLACE OF
        for (int i = 0; i < BM; i += a_band) {
// STANDS
        for (int i = 0; i < a_band; i += a_band) {
