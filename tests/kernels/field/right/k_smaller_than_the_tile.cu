// bug: none - only the part of the tiles that exists is filled, and only that part is read
// expect: ok
// diag: no error finding at any shape
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: none
// shape_pass: 33,47,3; 16,16,1; 20,20,29
// at_pass: ok
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[16][16], Bs[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 16) {
        const int depth = min(16, K - k0);
        if (row < M && tx < depth) As[ty][tx] = A[row * K + k0 + tx];
        if (col < N && ty < depth) Bs[ty][tx] = B[(k0 + ty) * N + col];
        __syncthreads();
        if (row < M && col < N)
            for (int k = 0; k < depth; ++k) acc += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
