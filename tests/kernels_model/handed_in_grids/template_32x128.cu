// A template of tile sizes, made for 32 by 128 with four by four a thread; its launcher chooses the sizes.
// launcher: launch
template <int BM, int BN, int BK, int TM, int TN>
__global__ void tiled(const float* A, const float* B, float* C, int M, int N, int K)
{
    constexpr int ACROSS = BN / TN, THREADS = ACROSS * (BM / TM);
    __shared__ float As[BM * BK], Bs[BK * BN];
    const int tx = threadIdx.x % ACROSS, ty = threadIdx.x / ACROSS;
    const int top = blockIdx.y * BM, left = blockIdx.x * BN;
    float acc[TM * TN] = {0.0f};
    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int i = threadIdx.x; i < BM * BK; i += THREADS) {
            const int r = top + i / BK, k = k0 + i % BK;
            As[i] = r < M && k < K ? A[r * K + k] : 0.0f;
        }
        for (int i = threadIdx.x; i < BK * BN; i += THREADS) {
            const int k = k0 + i / BN, c = left + i % BN;
            Bs[i] = k < K && c < N ? B[k * N + c] : 0.0f;
        }
        __syncthreads();
        for (int k = 0; k < BK; ++k) {
            float b[TN];
            for (int j = 0; j < TN; ++j) b[j] = Bs[k * BN + tx + ACROSS * j];
            for (int i = 0; i < TM; ++i) {
                const float a = As[(ty * TM + i) * BK + k];
                for (int j = 0; j < TN; ++j) acc[i * TN + j] += a * b[j];
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j) {
            const int r = top + ty * TM + i, c = left + tx + ACROSS * j;
            if (r < M && c < N) C[r * N + c] = acc[i * TN + j];
        }
}

void launch(const float* A, const float* B, float* C, int M, int N, int K)
{
    tiled<32, 128, 16, 4, 4><<<dim3((N + 127) / 128, (M + 31) / 32), 256>>>(A, B, C, M, N, K);
}
