// shape: 8,64,16
// block: 64
// grid: 1,M
// inputs: unit
// compare: bits
struct Big {
    float values[9];
    int tail;
};

union Either {
    float f;
    unsigned u;
    unsigned char bytes[4];
};

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ Big first[64], second[64];
    int row = blockIdx.y, col = threadIdx.x;
    Big local;
    memset(&local, 0, sizeof local);
    local.values[row] = A[col];
    local.tail = col;
    first[col] = local;
    memcpy(&second[col], &first[col], sizeof(Big));
    __syncthreads();
    Either either;
    either.f = second[col ^ 1].values[row];
    either.bytes[3] ^= 0x80;
    C[row * N + col] = either.f + second[col].tail + second[col].values[(row + 1) % 8];
}
