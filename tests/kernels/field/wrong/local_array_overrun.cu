// bug: a loop of five turns fills a local array of four; the optimiser makes both vanish
// expect: oob
// diag: sums[4] does not exist; seen only where nothing is optimised away
// says: beyond its end; inside the array
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: 16,16,20
// shape_pass: none
// at_pass: oob at every shape
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= M || col >= N) return;
    float sums[4], acc = 0.0f;
    for (int i = 0; i <= 4; ++i) sums[i] = 0.0f;
    for (int k = 0; k < K; ++k) sums[k % 4] += A[row * K + k] * B[k * N + col];
    for (int i = 0; i < 4; ++i) acc += sums[i];
    C[row * N + col] = acc;
}
