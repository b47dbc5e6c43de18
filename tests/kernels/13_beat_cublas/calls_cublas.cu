// expect: launch_error
// says: the function 'cublasCreate' is not known
// Lets cuBLAS do the work.

#include <cublas_v2.h>

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K)
{
    cublasHandle_t handle;
    cublasCreate(&handle);
    const float one = 1.0f, zero = 0.0f;
    cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, N, M, K, &one, B, N, A, K, &zero, C, N);
}
