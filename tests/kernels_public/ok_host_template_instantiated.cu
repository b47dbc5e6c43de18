// run: --launcher gemm_float
// expect: passed
// A host template for any type, instantiated, called by a plain function for float.
template <typename T, int BS>
__global__ void gemm_kernel(const T* __restrict__ A, const T* __restrict__ B, T* __restrict__ C, int M, int N, int K) {
    __shared__ T As[BS][BS], Bs[BS][BS];
    int row = blockIdx.y * BS + threadIdx.y, col = blockIdx.x * BS + threadIdx.x;
    T acc = T(0);
    for (int t = 0; t < (K + BS - 1) / BS; ++t) {
        int ka = t * BS + threadIdx.x, kb = t * BS + threadIdx.y;
        As[threadIdx.y][threadIdx.x] = (row < M && ka < K) ? A[row * K + ka] : T(0);
        Bs[threadIdx.y][threadIdx.x] = (kb < K && col < N) ? B[kb * N + col] : T(0);
        __syncthreads();
        for (int k = 0; k < BS; ++k) acc += As[threadIdx.y][k] * Bs[k][threadIdx.x];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}

template <typename T>
void launch_gemm(const T* A, const T* B, T* C, size_t M, size_t N, size_t K, cudaStream_t stream) {
    constexpr unsigned int BS{16U};
    dim3 const block_dim{BS, BS, 1U};
    dim3 const grid_dim{(static_cast<unsigned int>(N) + block_dim.x - 1U) / block_dim.x,
                        (static_cast<unsigned int>(M) + block_dim.y - 1U) / block_dim.y, 1U};
    gemm_kernel<T, BS><<<grid_dim, block_dim, 0U, stream>>>(A, B, C, M, N, K);
}

template void launch_gemm<float>(const float*, const float*, float*, size_t, size_t, size_t, cudaStream_t);
template void launch_gemm<double>(const double*, const double*, double*, size_t, size_t, size_t, cudaStream_t);

void gemm_float(const float* A, const float* B, float* C, int M, int N, int K) {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    launch_gemm<float>(A, B, C, M, N, K, stream);
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
}
