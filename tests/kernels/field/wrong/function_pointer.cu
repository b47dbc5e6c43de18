// bug: the operation is chosen through a table of function pointers
// expect: unsupported
// diag: an indirect call, which this emulator does not run
// says: a call through a pointer
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: 4,4,16
// shape_pass: none
// at_pass: unsupported at every shape
typedef float (*Operation)(float, float);
__device__ __noinline__ float add(float a, float b) { return a + b; }
__device__ __noinline__ float take(float a, float b) { return a - b; }
__device__ Operation operations[2] = {add, take};

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= M || col >= N) return;
    float acc = 0.0f;
    for (int k = 0; k < K; ++k) acc = operations[M < 0](acc, A[row * K + k] * B[k * N + col]);
    C[row * N + col] = acc;
}
