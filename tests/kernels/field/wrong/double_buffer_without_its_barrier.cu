// bug: two buffers, and no barrier at the end of the turn: the tile after the next overtakes this one
// expect: race
// diag: WAR on the buffer that is filled again two turns later, RAW on the next
// says: may overwrite; write after read
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: 16,16,64
// shape_pass: 16,16,16
// at_pass: ok (one K tile)
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[2][16][16], Bs[2][16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    auto fill = [&](int s, int k0) {
        As[s][ty][tx] = (row < M && k0 + tx < K) ? A[row * K + k0 + tx] : 0.0f;
        Bs[s][ty][tx] = (k0 + ty < K && col < N) ? B[(k0 + ty) * N + col] : 0.0f;
    };
    fill(0, 0);
    __syncthreads();
    float acc = 0.0f;
    for (int k0 = 0, s = 0; k0 < K; k0 += 16, s ^= 1) {
        if (k0 + 16 < K) fill(s ^ 1, k0 + 16);
        for (int k = 0; k < 16; ++k) acc += As[s][ty][k] * Bs[s][k][tx];
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
