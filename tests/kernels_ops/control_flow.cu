// shape: 9,96,16
// block: 32,3
// grid: 1,M
// inputs: unit
// compare: bits
extern "C" __global__ __launch_bounds__(96) void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    int row = blockIdx.y, col = threadIdx.y * 32 + threadIdx.x;
    int n = (int)(fabsf(A[col]) * 50) + row, steps = 0;
    if (n % 13 == 0) {
        C[row * N + col] = -1;
        return;
    }
    for (int i = 0; i < n; ++i) {
        if (i % 5 == 3) continue;
        for (int j = i; j > 0; j /= 2) {
            if ((i ^ j) == 21) goto out;
            steps += j & 1;
        }
        while (n > 30 && steps % 7) {
            ++steps;
            if (steps > 200) break;
        }
        do {
            steps += 2;
        } while (steps % 3);
    }
out:
    C[row * N + col] = steps + (col % 2 && row % 3 ? 0.5f : 0.25f);
}
