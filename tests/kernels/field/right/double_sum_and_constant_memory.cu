// bug: none - the order of the products comes from constant memory, the sum is a double
// expect: ok
// diag: no error finding at any shape
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: none
// shape_pass: 17,19,29; 16,16,16
// at_pass: ok
__constant__ int order[4] = {2, 0, 3, 1};

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= M || col >= N) return;
    double acc = 0.0;
    for (int k0 = 0; k0 < K; k0 += 4)
        for (int i = 0; i < 4; ++i) {
            const int k = k0 + order[i];
            if (k < K) acc += double(A[row * K + k]) * B[k * N + col];
        }
    C[row * N + col] = float(acc);
}
