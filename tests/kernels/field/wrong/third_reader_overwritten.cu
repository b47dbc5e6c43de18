// bug: warp 1 overwrites a strip that warp 0 may still read; its own lanes are in order
// expect: race
// diag: WAR between warp 0 and warp 1; the last two readers before the write were lanes of warp 1
// says: still reads
// block: 32,2
// grid: cdiv(N,32),cdiv(M,2)
// smem: 0
// shape_fail: 2,32,64
// shape_pass: 2,32,32
// at_pass: ok (one strip)
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float strip[2][32];
    const int lane = threadIdx.x, w = threadIdx.y, row = blockIdx.y * 2 + w, col = blockIdx.x * 32 + lane;
    float acc = 0.0f;
    if (w == 1)
        for (int i = 0; i < 2; ++i) strip[i][lane] = blockIdx.y * 2 + i < M && lane < K ? A[(blockIdx.y * 2 + i) * K + lane] : 0.0f;
    __syncthreads();
    for (int k0 = 0; k0 < K; k0 += 32) {
        float peek = 0.0f;
        for (int k = 0; k < 32; ++k) {
            if (w == 1) peek += strip[0][k];
            if (k0 + k < K && col < N) acc += strip[w][k] * B[(k0 + k) * N + col];
        }
        if (peek == 12345.0f) acc = 0.0f;
        if (k0 + 32 >= K) break;
        __syncwarp();
        if (w == 1)
            for (int i = 0; i < 2; ++i)
                strip[i][lane] = blockIdx.y * 2 + i < M && k0 + 32 + lane < K ? A[(blockIdx.y * 2 + i) * K + k0 + 32 + lane] : 0.0f;
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
