// Each device computes its rows of C and stores them into the C of all; a flag a block says that they are there.
// What the tests put in place of a part is between the marks.
#define TILE 16
typedef volatile unsigned flag_t;

extern "C" __global__ void gemm(const float* A, const float* B, float* const* C_of, unsigned* const* flags_of, int M,
                                int N, int K, int rank, int world)
{
    const int share = (M + world - 1) / world, first = rank * share, rows = min(share, M - first);
    const int r = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
    const int mine = blockIdx.y * gridDim.x + blockIdx.x + rank * gridDim.x * gridDim.y;
    const bool leads = threadIdx.x == 0 && threadIdx.y == 0;
    float acc = 0.0f;
    if (r < rows && col < N)
        for (int k = 0; k < K; ++k) acc += A[r * K + k] * B[k * N + col];
    /* before */
    if (r < rows && col < N)
        for (int to = 0; to < world; ++to) C_of[to][(first + r) * N + col] = acc;  // store
    __syncthreads();  // all have stored
    if (leads) __threadfence_system();  // fence
    for (int to = 0; leads && to < world; ++to) *(flag_t*)&flags_of[to][mine] = 1;  // flag
}

extern "C" __global__ void await_all(float* C, unsigned* flags, float* seen, int count, int elements)
{
    for (int t = threadIdx.x; t < count; t += blockDim.x) {
        while (*(flag_t*)&flags[t] == 0) {}  // wait
        __threadfence_system();  // acquire
        *(flag_t*)&flags[t] = 0;  // reset
    }
    __syncthreads();  // all have waited
    for (int i = threadIdx.x; i < elements; i += blockDim.x) seen[i] = C[i];
}

extern "C" void solve(const float* A, const float* B, float* C, float* const* C_of, unsigned* flags,
                      unsigned* const* flags_of, int M, int N, int K, int rank, int world)
{
    float* seen;
    cudaMalloc(&seen, M * N * sizeof(float));
    dim3 block(TILE, TILE), grid((N + TILE - 1) / TILE, ((M + world - 1) / world + TILE - 1) / TILE);
    gemm<<<grid, block>>>(A, B, C_of, flags_of, M, N, K, rank, world);
    await_all<<<1, 64>>>(C, flags, seen, grid.x * grid.y * world, M * N);
}
