// bug: the registers of the next tile go into shared memory without waiting for the readers of this one
// expect: race
// diag: WAR on As and Bs
// says: the second __syncthreads()
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: 16,16,48
// shape_pass: 16,16,16
// at_pass: ok (one K tile)
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[16][16], Bs[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float a = row < M && tx < K ? A[row * K + tx] : 0.0f, b = ty < K && col < N ? B[ty * N + col] : 0.0f;
    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 16) {
        As[ty][tx] = a;
        Bs[ty][tx] = b;
        __syncthreads();
        const int next = k0 + 16;
        a = row < M && next + tx < K ? A[row * K + next + tx] : 0.0f;
        b = next + ty < K && col < N ? B[(next + ty) * N + col] : 0.0f;
        for (int k = 0; k < 16; ++k) acc += As[ty][k] * Bs[k][tx];
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
