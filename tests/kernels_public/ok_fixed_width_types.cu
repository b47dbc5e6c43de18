// run: --launcher solve
// expect: passed
// Types that nvcc knows without an #include.
typedef unsigned char byte_t;
__global__ void gemm(const float* A, const float* B, float* C, uint32_t M, uint32_t N, uint32_t K) {
    const uint row = blockIdx.y * blockDim.y + threadIdx.y;
    const uint32_t col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || col >= N) return;
    float sum = 0.f;
    for (size_t k = 0; k < K; k++) sum += A[(uint64_t)row * K + k] * B[k * N + col];
    C[int64_t(row) * N + col] = sum;
}

void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    const uint bx = 32u;
    const ushort by = 4;
    gemm<<<dim3((N + bx - 1) / bx, (M + by - 1) / by), dim3(bx, by)>>>(A, B, C, M, N, K);
}
