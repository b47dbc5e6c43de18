// bug: pairs of A are read as float2; every second row starts at an odd element when K is odd
// expect: misaligned
// diag: row * K is odd
// says: 8 bytes at once; of A
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: 16,16,9
// shape_pass: 16,16,10
// at_pass: ok
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= M || col >= N) return;
    const float2* a = reinterpret_cast<const float2*>(A + row * K);
    float acc = 0.0f;
    for (int k = 0; k + 1 < K; k += 2) acc += a[k / 2].x * B[k * N + col] + a[k / 2].y * B[(k + 1) * N + col];
    if (K % 2) acc += A[row * K + K - 1] * B[(K - 1) * N + col];
    C[row * N + col] = acc;
}
