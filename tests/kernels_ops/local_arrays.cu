// shape: 16,24,20
// block: 8,8
// grid: cdiv(N,8),cdiv(M,8)
// inputs: unit
// compare: 1e-5
__device__ void sort(float* values, int n)
{
    for (int i = 1; i < n; ++i)
        for (int j = i; j > 0 && values[j - 1] > values[j]; --j) {
            float swap = values[j];
            values[j] = values[j - 1];
            values[j - 1] = swap;
        }
}

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 8 + threadIdx.x;
    if (row >= M || col >= N) return;
    float products[20];
    char order[20] = {};
    for (int k = 0; k < K; ++k) {
        products[(k * 7 + col) % 20] = A[row * K + k] * B[k * N + col];
        order[k] = k;
    }
    sort(products, K);
    float acc = 0;
    for (int k = 0; k < K; ++k) acc += products[(int)order[k]];
    C[row * N + col] = acc;
}
