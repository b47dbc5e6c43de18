// expect: counter
// says: reads from its peer's memory
// What was stored is read back over the link, to be sure.

// IN PLACE OF
    __syncthreads();
    __threadfence_system();
// STANDS
    if (row < M && col < N && C_of[world - 1 - rank][(first + row) * N + col] != acc[0][0]) __trap();
    __syncthreads();
    __threadfence_system();
