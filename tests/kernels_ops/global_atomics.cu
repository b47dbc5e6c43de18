// shape: 24,20,40
// block: 8,8
// grid: cdiv(N,8),cdiv(M,8),5
// inputs: unit
// compare: 1e-5
__device__ int arrivals;
__device__ float sums[24 * 20];
__device__ double checks[24 * 20];
__device__ unsigned long long largest;

__device__ float atomic_add_by_cas(float* at, float value)
{
    int* bits = (int*)at;
    int seen = *(volatile int*)bits, before;
    do {
        before = seen;
        seen = atomicCAS(bits, before, __float_as_int(__int_as_float(before) + value));
    } while (seen != before);
    return __int_as_float(seen);
}

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    int col = blockIdx.x * 8 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y, slice = blockIdx.z;
    __shared__ bool last;
    if (row < M && col < N) {
        float partial = 0;
        for (int k = slice * (K / 5); k < (slice + 1) * (K / 5); ++k) partial += A[row * K + k] * B[k * N + col];
        if (slice % 2) atomicAdd(&sums[row * N + col], partial);
        else atomic_add_by_cas(&sums[row * N + col], partial);
        atomicAdd(&checks[row * N + col], (double)partial);
        atomicMax(&largest, (unsigned long long)(row * N + col));
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0)
        last = atomicAdd(&arrivals, 1) == gridDim.x * gridDim.y * gridDim.z - 1;
    __syncthreads();
    if (!last) return;
    for (int i = threadIdx.y * 8 + threadIdx.x; i < M * N; i += 64) {
        float sum = atomicExch(&sums[i], 0.f) + (float)(largest - (M * N - 1));
        C[i] = (sum + (float)atomicAdd(&checks[i], 0.0)) / 2;
    }
}
