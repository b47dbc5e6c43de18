// run: --kernel product --block 16,16 --grid "cdiv(N,16),cdiv(M,16)"
// expect: passed
// The operator of a framework: its types and its macro stay out of what is compiled.
#include <torch/extension.h>
__global__ void product(const float* __restrict__ A, const float* __restrict__ B, float* C, const int M, const int N, const int K) {
    const std::size_t row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || col >= N) return;
    float sum = 0;
    for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
}
void forward(framework::Tensor& a, framework::Tensor& b, framework::Tensor& c) {
    product<<<dim3(4, 4), dim3(16, 16), 0, a.stream()>>>(a.data<float>(), b.data<float>(), c.data<float>(), 64, 64, 64);
}
REGISTER_OPERATOR(product)
    .Inputs({"a", "b"})
    .Outputs({"c"})
    .Function(&forward);
