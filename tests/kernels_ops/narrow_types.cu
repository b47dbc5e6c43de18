// shape: 8,64,16
// block: 64
// grid: 1,M
// inputs: unit
// compare: bits
struct Packed {
    char c;
    bool flag;
    short s;
    unsigned char u[4];
    long long wide;
};

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ char bytes[64];
    __shared__ Packed packed[64];
    __shared__ unsigned short words[64];
    int row = blockIdx.y, col = threadIdx.x, n = (int)(A[col] * 1000) + row;
    bytes[col] = n;
    words[col] = n;
    packed[col] = Packed{(char)n, n % 3 == 0, (short)(n * 7), {1, 2, (unsigned char)n, 4}, (long long)n << 33};
    __syncthreads();
    int other = 63 - col;
    char4 quad = *reinterpret_cast<char4*>(&bytes[other & ~3]);
    ushort2 pair = *reinterpret_cast<ushort2*>(&words[other & ~1]);
    Packed p = packed[other];
    int sum = bytes[other] + quad.x * 3 + quad.y + quad.z + quad.w + pair.x - pair.y + p.c + p.s * 2 + p.u[2];
    C[row * N + col] = (float)(sum + (p.flag ? 100 : 0) + (int)(p.wide >> 33));
}
