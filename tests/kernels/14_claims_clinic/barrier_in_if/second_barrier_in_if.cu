// expect: barrier_divergence
// says: waits at the barrier; waits at another one
// One of the two barriers stays in an if.

// IN PLACE OF
        }
        __syncthreads();
// STANDS
        }
        if (row < M && col < N) __syncthreads();
