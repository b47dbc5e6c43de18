// bug: the next tile goes into the buffer that is being read
// expect: race
// diag: WAR: the fill and the inner loop use the same buffer between two barriers
// says: may still be writing it; the buffer that it does not read
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: 16,16,48
// shape_pass: 16,16,16
// at_pass: ok (one K tile)
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[2][16][16], Bs[2][16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float acc = 0.0f;
    As[0][ty][tx] = (row < M && tx < K) ? A[row * K + tx] : 0.0f;
    Bs[0][ty][tx] = (ty < K && col < N) ? B[ty * N + col] : 0.0f;
    __syncthreads();
    for (int k0 = 0; k0 < K; k0 += 16) {
        const int next = k0 + 16;
        if (next < K) {
            As[0][ty][tx] = (row < M && next + tx < K) ? A[row * K + next + tx] : 0.0f;
            Bs[0][ty][tx] = (next + ty < K && col < N) ? B[(next + ty) * N + col] : 0.0f;
        }
        for (int k = 0; k < 16; ++k) acc += As[0][ty][k] * Bs[0][k][tx];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
