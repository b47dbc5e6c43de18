// run: --launcher run
// expect: passed
// Sizes as members of a configuration, a runner with a static function, an enum that chooses.
#include <cuda_runtime.h>
#include <map>
#include <functional>

namespace gemm {
template <int BM_, int BN_, int BK_, int TM_> struct Config {
    static constexpr int BM = BM_, BN = BN_, BK = BK_, TM = TM_;
    static constexpr int kThreads = BM * BN / TM;
};

template <typename Cfg>
__global__ void __launch_bounds__(Cfg::kThreads) kernel(int M, int N, int K, const float* A, const float* B, float* C) {
    __shared__ float As[Cfg::BM * Cfg::BK];
    __shared__ float Bs[Cfg::BK * Cfg::BN];
    const int threadCol = threadIdx.x % Cfg::BN, threadRow = threadIdx.x / Cfg::BN;
    float threadResults[Cfg::TM] = {0.0f};
    for (int bk = 0; bk < K; bk += Cfg::BK) {
        for (int i = threadIdx.x; i < Cfg::BM * Cfg::BK; i += Cfg::kThreads) {
            int r = blockIdx.y * Cfg::BM + i / Cfg::BK, k = bk + i % Cfg::BK;
            As[i] = r < M && k < K ? A[r * K + k] : 0.0f;
        }
        for (int i = threadIdx.x; i < Cfg::BK * Cfg::BN; i += Cfg::kThreads) {
            int k = bk + i / Cfg::BN, c = blockIdx.x * Cfg::BN + i % Cfg::BN;
            Bs[i] = k < K && c < N ? B[k * N + c] : 0.0f;
        }
        __syncthreads();
        for (int dot = 0; dot < Cfg::BK; ++dot) {
            float b = Bs[dot * Cfg::BN + threadCol];
            for (int i = 0; i < Cfg::TM; ++i) threadResults[i] += As[(threadRow * Cfg::TM + i) * Cfg::BK + dot] * b;
        }
        __syncthreads();
    }
    for (int i = 0; i < Cfg::TM; ++i) {
        int r = blockIdx.y * Cfg::BM + threadRow * Cfg::TM + i, c = blockIdx.x * Cfg::BN + threadCol;
        if (r < M && c < N) C[r * N + c] = threadResults[i];
    }
}

struct Runner {
    static void launch(const float* A, const float* B, float* C, int M, int N, int K) {
        using Cfg = Config<32, 32, 8, 4>;
        dim3 grid((N + Cfg::BN - 1) / Cfg::BN, (M + Cfg::BM - 1) / Cfg::BM);
        kernel<Cfg><<<grid, Cfg::kThreads>>>(M, N, K, A, B, C);
    }
};
}  // namespace gemm

void run(const float* A, const float* B, float* C, int M, int N, int K) { gemm::Runner::launch(A, B, C, M, N, K); }
