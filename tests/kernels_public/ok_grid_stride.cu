// run: --launcher run_square --args "A,B,C,N,96" --shape 40,40,40 --shape 7,7,7
// expect: passed
// One size of type size_t, the threads of a block chosen by the caller, a device property asked for and not used.
__global__ void square_product(const float* A, const float* B, float* C, size_t n) {
    const size_t step = gridDim.x * (size_t)blockDim.x;
    for (size_t at = blockIdx.x * blockDim.x + threadIdx.x; at < n * n; at += step) {
        float sum = 0;
        for (std::size_t k = 0; k < n; k++) sum += A[at / n * n + k] * B[k * n + at % n];
        C[at] = sum;
    }
}
void run_square(const float* A, const float* B, float* C, size_t n, unsigned int threads) {
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    const auto blocks = (n * n + threads - 1) / threads;
    square_product<<<static_cast<unsigned>(blocks), threads>>>(A, B, C, n);
    auto state = cudaDeviceSynchronize();
    if (state != cudaError_t::cudaSuccess) std::terminate();
}
