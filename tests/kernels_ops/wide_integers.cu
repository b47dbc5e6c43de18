// rows: sum product quotient shift compare
// shape: 5,64,16
// block: 64
// grid: 1,M
// options: --device-int128
// inputs: bits
// compare: bits
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    int row = blockIdx.y, col = threadIdx.x;
    unsigned __int128 a = (unsigned __int128)__float_as_uint(A[col]) << 61 | __float_as_uint(B[col]), b = a * 3 + 77;
    unsigned __int128 r = row == 0   ? a + b + (b << 40)
                          : row == 1 ? a * b
                          : row == 2 ? b - (a << 3)
                          : row == 3 ? (b << (col % 64)) ^ (a >> (col + 1))
                                     : (unsigned __int128)(a < b) + (a > (b >> 2));
    unsigned long long folded = (unsigned long long)r ^ (unsigned long long)(r >> 64);
    C[row * N + col] = __uint_as_float((unsigned)(folded ^ folded >> 32));
}
