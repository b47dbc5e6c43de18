// bug: none - the reduction through volatile shared memory has a __syncwarp between every read and write
// expect: ok
// diag: no error finding at any shape
// block: 32,4
// grid: N,cdiv(M,4)
// smem: 0
// shape_fail: none
// shape_pass: 9,7,70; 4,4,32; 1,1,1
// at_pass: ok
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ volatile float part[4][32];
    const int lane = threadIdx.x, w = threadIdx.y;
    const int row = blockIdx.y * 4 + w, col = blockIdx.x;
    float sum = 0.0f;
    for (int k = lane; k < K; k += 32) sum += row < M ? A[row * K + k] * B[k * N + col] : 0.0f;
    part[w][lane] = sum;
    __syncwarp();
    for (int d = 16; d > 0; d >>= 1) {
        const float mine = part[w][lane], other = part[w][(lane + d) % 32];
        __syncwarp();
        part[w][lane] = mine + other;
        __syncwarp();
    }
    if (lane == 0 && row < M) C[row * N + col] = part[w][0];
}
