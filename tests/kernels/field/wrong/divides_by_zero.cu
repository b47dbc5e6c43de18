// bug: the number of tiles across is rounded down and then divided by
// expect: wrong-result
// diag: for N below 16 it is 0
// says: written
// block: 16,16
// grid: cdiv(N,16)*cdiv(M,16)
// smem: 0
// shape_fail: 16,12,16
// shape_pass: 16,32,16
// at_pass: ok
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int across = N / 16;
    const int row = int(blockIdx.x) / across * 16 + threadIdx.y, col = int(blockIdx.x) % across * 16 + threadIdx.x;
    if (row < 0 || row >= M || col < 0 || col >= N) return;
    float acc = 0.0f;
    for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];
    C[row * N + col] = acc;
}
