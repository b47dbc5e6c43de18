// expect: race
// says: K tile 1; K tile 0; may overwrite
// Tiles are overwritten while other threads still read them (write after read).

// IN PLACE OF
        }
        __syncthreads();
// STANDS
        }
