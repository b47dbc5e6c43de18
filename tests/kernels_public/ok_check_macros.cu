// run: --launcher solve
// expect: passed
// Every call goes through a macro that checks it, the launch too.
#include <cstdio>
#include <cstdlib>
#define CUDA_CHECK(call)                                                              \
    do {                                                                              \
        cudaError_t err_ = (call);                                                    \
        if (err_ != cudaSuccess) {                                                    \
            fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(err_)); \
            std::exit(EXIT_FAILURE);                                                  \
        }                                                                             \
    } while (0)
#define CUDA_LAUNCH(...) do { __VA_ARGS__; CUDA_CHECK(cudaGetLastError()); CUDA_CHECK(cudaDeviceSynchronize()); } while (0)
#define gpuErrchk(ans) { gpuAssert((ans), __FILE__, __LINE__); }

inline void gpuAssert(cudaError_t code, const char *file, int line, bool abort = true) {
    if (code != cudaSuccess) {
        fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
        if (abort) exit(code);
    }
}

static void check_cuda_last(const char* what) {
    auto e = cudaGetLastError();
    if (e) { fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e)); abort(); }
}

__global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K) {
    int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
    if (row >= M || col >= N) return;
    float sum = 0.f;
    for (int k = 0; k < K; k++) sum = fmaf(A[row * K + k], B[k * N + col], sum);
    C[row * N + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    dim3 threads(32, 8);
    dim3 blocks((N + 31) / 32, (M + 7) / 8);
    CUDA_LAUNCH(gemm<<<blocks, threads>>>(A, B, C, M, N, K));
    gpuErrchk(cudaPeekAtLastError());
    check_cuda_last("gemm");
    if (auto e = cudaDeviceSynchronize(); e != cudaSuccess) { printf("%d\n", (int)e); }
    if (cudaError_t e = cudaGetLastError()) { printf("%s\n", cudaGetErrorName(e)); return; }
}
