// bug: the last steps of the reduction trust a warp to run in step
// expect: race
// diag: lanes of one warp read what other lanes write, with nothing between
// says: in one warp; __syncwarp()
// block: 64
// grid: N,M
// smem: 0
// shape_fail: 2,3,64
// shape_pass: none
// at_pass: race at every shape
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float part[64];
    const int t = threadIdx.x;
    float sum = 0.0f;
    for (int k = t; k < K; k += 64) sum += A[blockIdx.y * K + k] * B[k * N + blockIdx.x];
    part[t] = sum;
    __syncthreads();
    if (t < 32) {
        part[t] += part[t + 32];
        if (t < 16) part[t] += part[t + 16];
        if (t < 8) part[t] += part[t + 8];
        if (t < 4) part[t] += part[t + 4];
        if (t < 2) part[t] += part[t + 2];
        if (t < 1) C[blockIdx.y * N + blockIdx.x] = part[0] + part[1];
    }
}
