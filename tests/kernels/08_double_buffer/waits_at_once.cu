// expect: counter
// says: nothing is copied while the block multiplies; in 0 of its intervals
// The copies of the next tiles are waited for before this pair is multiplied.

// BLANK next
        if (k0 + BK < K) {
            start_copies(1 - buf, k0 + BK);
            __pipeline_wait_prior(0);
        }
