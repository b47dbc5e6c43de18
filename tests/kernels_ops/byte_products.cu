// rows: dp4a udp4a
// shape: 2,512,512
// block: 128
// grid: cdiv(N,128),M
// inputs: bits
// compare: bits
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    int row = blockIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x, a = __float_as_int(A[col]), b = __float_as_int(B[col]);
    C[row * N + col] = __int_as_float(row == 0 ? __dp4a(a, b, 11) : __dp4a((unsigned)a, (unsigned)b, 11u));
}
