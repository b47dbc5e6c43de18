// shape: 12,96,8
// block: 32
// grid: cdiv(N,32),M
// inputs: unit
// compare: bits
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    int row = blockIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    float x = A[col % (M * K)], y = B[col], result;
    switch ((row + col) % 11) {
    case 0: result = x + y; break;
    case 1: result = x - y; break;
    case 2: result = x * y; break;
    case 3: result = x * 3; break;
    case 4: result = y * 5;  // falls through
    case 5: result = y + 1; break;
    case 6: result = -x; break;
    case 7: result = x > y ? x : y; break;
    case 8: for (result = 0; result < 3; ++result) if (x > 0.5f) goto done; break;
    case 9: result = 9; break;
    default: result = 42;
    }
done:
    C[row * N + col] = result;
}
