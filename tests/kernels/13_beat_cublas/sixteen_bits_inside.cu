// expect: wrong_result
// says: fewer bits than a float has
// Float32 outside and bfloat16 inside: the tensor cores are much faster so, and most digits of the factors are gone.
// board: wrong

__device__ float bfloat16(float x)
{
    return __uint_as_float((__float_as_uint(x) + 0x8000) & 0xffff0000);
}

__global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= M || col >= N) return;
    float acc = 0.0f;
    for (int k = 0; k < K; ++k) acc += bfloat16(A[row * K + k]) * bfloat16(B[k * N + col]);
    C[row * N + col] = acc;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K)
{
    gemm<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
}
