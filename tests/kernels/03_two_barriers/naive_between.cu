// expect: counter
// says: does not come from the tiles
// All is done where the barrier should stand, from global memory; the loop over the tiles ends at once.

// BLANK first_barrier
        for (int k = 0; row < M && col < N && k < K; ++k) {
            acc += A[row * K + k] * B[k * N + col];
        }
        break;
// BLANK second_barrier
        __syncthreads();
