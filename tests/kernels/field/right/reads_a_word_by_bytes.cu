// bug: none - the tile is copied byte by byte and read as floats
// expect: ok
// diag: no error finding at any shape
// block: 64
// grid: N,M
// smem: 0
// shape_fail: none
// shape_pass: 2,3,40; 1,1,16
// at_pass: ok
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ __align__(4) unsigned char bytes[64];
    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 16) {
        const unsigned char* from = reinterpret_cast<const unsigned char*>(A + blockIdx.y * K + k0);
        const int here = min(16, K - k0);
        if (threadIdx.x < here * 4) bytes[threadIdx.x] = from[threadIdx.x];
        __syncthreads();
        if (threadIdx.x == 0)
            for (int k = 0; k < here; ++k)
                acc += reinterpret_cast<const float*>(bytes)[k] * B[(k0 + k) * N + blockIdx.x];
        __syncthreads();
    }
    if (threadIdx.x == 0) C[blockIdx.y * N + blockIdx.x] = acc;
}
