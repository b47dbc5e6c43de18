// bug: none - a thread computes a column strip of four elements
// expect: ok
// diag: no error finding at any shape
// block: 32,8
// grid: cdiv(N,32),cdiv(M,32)
// smem: 0
// shape_fail: none
// shape_pass: 35,45,25; 32,32,32; 1,70,9
// at_pass: ok
const int BM = 32, BN = 32, BK = 8, TM = 4;

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[BM][BK], Bs[BK][BN];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int id = ty * BN + tx;
    const int col = blockIdx.x * BN + tx;
    float acc[TM] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int k0 = 0; k0 < K; k0 += BK) {
        const int i = id / BK, k = id % BK, r = blockIdx.y * BM + i;
        As[i][k] = r < M && k0 + k < K ? A[r * K + k0 + k] : 0.0f;
        Bs[ty][tx] = k0 + ty < K && col < N ? B[(k0 + ty) * N + col] : 0.0f;
        __syncthreads();
        for (int kk = 0; kk < BK; ++kk) {
            const float b = Bs[kk][tx];
            for (int m = 0; m < TM; ++m) acc[m] += As[ty * TM + m][kk] * b;
        }
        __syncthreads();
    }
    for (int m = 0; m < TM; ++m) {
        const int row = blockIdx.y * BM + ty * TM + m;
        if (row < M && col < N) C[row * N + col] = acc[m];
    }
}
