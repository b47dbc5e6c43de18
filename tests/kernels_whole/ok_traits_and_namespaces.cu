// launcher: solve
// expect: passed
#include <cuda_runtime.h>

namespace detail {
constexpr int ceil_div(int a, int b) { return (a + b - 1) / b; }

template <typename T, int TILE, bool GUARD>
__global__ void kernel(const T* A, const T* B, T* C, int M, int N, int K) {
    const int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
    if (GUARD && (row >= M || col >= N)) return;
    T acc = 0;
    for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];
    C[row * N + col] = acc;
}

struct Small { static constexpr int TILE = 8; };
struct Large { static constexpr int TILE = 16; };

template <typename Config, typename T>
void launch(const T* A, const T* B, T* C, int M, int N, int K) {
    constexpr int TILE = Config::TILE;
    dim3 grid(ceil_div(N, TILE), ceil_div(M, TILE));
    dim3 block(TILE, TILE);
    if (M % TILE || N % TILE)
        kernel<T, TILE, true><<<grid, block>>>(A, B, C, M, N, K);
    else
        kernel<T, TILE, false><<<grid, block>>>(A, B, C, M, N, K);
}
}  // namespace detail

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    switch (M > 32) {
        case false: detail::launch<detail::Small>(A, B, C, M, N, K); break;
        default: detail::launch<detail::Large, float>(A, B, C, M, N, K);
    }
}
