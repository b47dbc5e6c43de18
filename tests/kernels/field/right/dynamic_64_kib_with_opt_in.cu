// bug: none - two tiles of 64x128 floats in dynamic shared memory, asked for with the opt-in
// expect: ok
// diag: no error finding at any shape
// block: 32,8
// grid: cdiv(N,64),cdiv(M,64)
// smem: 2*64*128*4
// smem_opt_in: yes
// shape_fail: none
// shape_pass: 65,67,130; 64,64,128
// at_pass: ok
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    extern __shared__ float pool[];
    float(*As)[128] = reinterpret_cast<float(*)[128]>(pool);
    float(*Bs)[64] = reinterpret_cast<float(*)[64]>(pool + 64 * 128);
    const int id = threadIdx.y * 32 + threadIdx.x, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    float acc[8][2] = {};
    for (int k0 = 0; k0 < K; k0 += 128) {
        for (int e = id; e < 64 * 128; e += 256) {
            const int i = e / 128, ka = e % 128, kb = e / 64, j = e % 64;
            As[i][ka] = row0 + i < M && k0 + ka < K ? A[(row0 + i) * K + k0 + ka] : 0.0f;
            Bs[kb][j] = k0 + kb < K && col0 + j < N ? B[(k0 + kb) * N + col0 + j] : 0.0f;
        }
        __syncthreads();
        for (int k = 0; k < 128; ++k)
            for (int i = 0; i < 8; ++i)
                for (int j = 0; j < 2; ++j) acc[i][j] += As[threadIdx.y * 8 + i][k] * Bs[k][j * 32 + threadIdx.x];
        __syncthreads();
    }
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 2; ++j) {
            const int row = row0 + threadIdx.y * 8 + i, col = col0 + j * 32 + threadIdx.x;
            if (row < M && col < N) C[row * N + col] = acc[i][j];
        }
}
