// bug: none - each block zeroes its own elements of C, then its threads add to them by atomics
// expect: ok
// diag: no error finding at any shape
// block: 8,8,2
// grid: cdiv(N,8),cdiv(M,8)
// smem: 0
// shape_fail: none
// shape_pass: 9,17,29; 8,8,8
// at_pass: ok
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 8 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
    const bool inside = row < M && col < N;
    if (inside && threadIdx.z == 0) C[row * N + col] = 0.0f;
    __syncthreads();
    float sum = 0.0f;
    for (int k = threadIdx.z; inside && k < K; k += 2) sum += A[row * K + k] * B[k * N + col];
    if (inside) atomicAdd(&C[row * N + col], sum);
}
