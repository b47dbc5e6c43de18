// bug: the lower half of each warp fills the strip, the upper half reads it at once
// expect: race
// diag: RAW between lanes of one warp in two branches
// says: in one warp; strip
// block: 32
// grid: cdiv(N,16),M
// smem: 0
// shape_fail: 2,16,16
// shape_pass: none
// at_pass: race at every shape
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float strip[16];
    const int lane = threadIdx.x, row = blockIdx.y, col = blockIdx.x * 16 + lane % 16;
    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 16) {
        if (lane < 16) {
            strip[lane] = k0 + lane < K ? A[row * K + k0 + lane] : 0.0f;
        } else {
            for (int k = 0; k < 16 && k0 + k < K; ++k) acc += col < N ? strip[k] * B[(k0 + k) * N + col] : 0.0f;
        }
        __syncwarp();
    }
    if (lane >= 16 && col < N) C[row * N + col] = acc;
}
