// expect: counter
// says: nothing is copied while the block multiplies; in 0 of its intervals
// Asynchronous copies, but only after all have multiplied, and into the same buffer.

// BLANK next
        ;
// BLANK swap
        __syncthreads();
        if (k0 + BK < K) {
            start_copies(buf, k0 + BK);
        }
