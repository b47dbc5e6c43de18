// bug: none - a warp holds a piece of a row of A, one element a lane, and broadcasts it by shuffles
// expect: ok
// diag: no error finding at any shape
// block: 32,4
// grid: cdiv(N,32),cdiv(M,4)
// smem: 0
// shape_fail: none
// shape_pass: 9,33,40; 8,64,64; 1,1,1
// at_pass: ok
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int lane = threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * 32 + lane;
    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 32) {
        const float a = row < M && k0 + lane < K ? A[row * K + k0 + lane] : 0.0f;
        for (int k = 0; k < 32; ++k) {
            const float ak = __shfl_sync(0xffffffff, a, k);
            if (k0 + k < K && col < N) acc += ak * B[(k0 + k) * N + col];
        }
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
