// bug: none - four groups of threads take a quarter of K each; their sums meet in shared memory
// expect: ok
// diag: no error finding at any shape
// block: 16,4,4
// grid: cdiv(N,16),cdiv(M,4)
// smem: 0
// shape_fail: none
// shape_pass: 9,33,50; 4,16,64; 1,1,3
// at_pass: ok
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float parts[4][4][16];
    const int tx = threadIdx.x, ty = threadIdx.y, part = threadIdx.z;
    const int row = blockIdx.y * 4 + ty, col = blockIdx.x * 16 + tx;
    const int share = (K + 3) / 4, from = part * share, to = min(K, from + share);
    float sum = 0.0f;
    if (row < M && col < N)
        for (int k = from; k < to; ++k) sum += A[row * K + k] * B[k * N + col];
    parts[part][ty][tx] = sum;
    for (int step = 2; step > 0; step /= 2) {
        __syncthreads();
        if (part < step) parts[part][ty][tx] += parts[part + step][ty][tx];
    }
    if (part == 0 && row < M && col < N) C[row * N + col] = parts[0][ty][tx];
}
