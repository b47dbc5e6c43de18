// Tiles of 64 by 32 with eight rows a thread; the two halves of k go to blocks of their own and meet in C by atomics.
// launcher: multiply
#define BM 64
#define BN 32
#define BK 16

__global__ void half_of_k(const float* __restrict__ A, const float* __restrict__ B, float* C, int M, int N, int K)
{
    __shared__ float As[BM][BK], Bs[BK][BN];
    const int tx = threadIdx.x % BN, ty = threadIdx.x / BN, top = blockIdx.y * BM, left = blockIdx.x * BN;
    const int middle = (K / 2 + BK - 1) / BK * BK, first = blockIdx.z ? middle : 0, last = blockIdx.z ? K : min(K, middle);
    float acc[8] = {};
    for (int k0 = first; k0 < last; k0 += BK) {
        for (int i = threadIdx.x; i < BM * BK; i += 256)
            As[i / BK][i % BK] = top + i / BK < M && k0 + i % BK < last ? A[(top + i / BK) * K + k0 + i % BK] : 0.0f;
        for (int i = threadIdx.x; i < BK * BN; i += 256)
            Bs[i / BN][i % BN] = k0 + i / BN < last && left + i % BN < N ? B[(k0 + i / BN) * N + left + i % BN] : 0.0f;
        __syncthreads();
        for (int k = 0; k < BK; ++k) {
            const float b = Bs[k][tx];
            for (int i = 0; i < 8; ++i) acc[i] += As[ty * 8 + i][k] * b;
        }
        __syncthreads();
    }
    for (int i = 0; i < 8; ++i)
        if (top + ty * 8 + i < M && left + tx < N) atomicAdd(&C[(top + ty * 8 + i) * N + left + tx], acc[i]);
}

void multiply(const float* A, const float* B, float* C, int M, int N, int K)
{
    cudaMemset(C, 0, sizeof(float) * M * N);
    half_of_k<<<dim3((N + BN - 1) / BN, (M + BM - 1) / BM, 2), 256>>>(A, B, C, M, N, K);
}
