// bug: none - pairs are read as float2 only where K is even; else one by one
// expect: ok
// diag: no error finding at any shape
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: none
// shape_pass: 17,19,28; 17,19,29; 16,16,1
// at_pass: ok
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= M || col >= N) return;
    float acc = 0.0f;
    if (K % 2 == 0) {
        const float2* pairs = reinterpret_cast<const float2*>(A + row * K);
        for (int k = 0; k < K; k += 2) {
            const float2 a = pairs[k / 2];
            acc += a.x * B[k * N + col] + a.y * B[(k + 1) * N + col];
        }
    } else {
        for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];
    }
    C[row * N + col] = acc;
}
