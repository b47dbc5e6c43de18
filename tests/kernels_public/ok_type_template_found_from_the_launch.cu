// run: --kernel MatMul --block 32,32 --grid "cdiv(N,32),cdiv(M,32)" --args "A,B,C,M,N,K"
// expect: passed
// Only the launch in main says of which type and tile the kernel is made.
#include <iostream>
template <typename T, int TILE>
__global__ void MatMul(T* a, T* b, T* c, int M, int N, int K) {
    int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
    if (row < M && col < N) {
        T sum = 0;
        for (int k = 0; k < K; ++k) sum += a[row * K + k] * b[k * N + col];
        c[row * N + col] = sum;
    }
}

int main() {
    float *da, *db, *dc;
    const int n = 256;
    cudaMalloc(&da, n * n * sizeof(float)); cudaMalloc(&db, n * n * sizeof(float)); cudaMalloc(&dc, n * n * sizeof(float));
    MatMul<float, 32><<<dim3(n / 32, n / 32), dim3(32, 32)>>>(da, db, dc, n, n, n);
    std::cout << "done" << std::endl;
}
