// launcher: solve
// expect: passed
#include <cuda_runtime.h>
#include <vector>
#include <string>
using namespace std;
struct Shape { int M, N, K; int tiles(int t) const { return (N + t - 1) / t; } };
static cudaStream_t shared_stream;
__global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K) {
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= M || col >= N) return;
    float acc = 0.0f;
    for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];
    C[row * N + col] = acc;
}
class Runner {
public:
    static void run(const float* A, const float* B, float* C, int M, int N, int K) {
        gemm<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
    }
};
struct Timer { cudaEvent_t a, b; Timer() { cudaEventCreate(&a); } ~Timer() { cudaEventDestroy(a); } };
void fill(std::vector<float>& v) { for (auto& x : v) x = 1; }
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    Runner::run(A, B, C, M, N, K);
}
int main() { vector<float> a(10); fill(a); return 0; }
