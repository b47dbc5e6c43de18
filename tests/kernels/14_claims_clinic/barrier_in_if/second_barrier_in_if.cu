// expect: barrier_divergence
// says: waits at the barrier; has left the kernel
// One of the two barriers stays in an if.

// IN PLACE OF
        }
        __syncthreads();
// STANDS
        }
        if (row < M && col < N) __syncthreads();
