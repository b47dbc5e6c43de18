// shape: 20,36,28
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 2304
// inputs: unit
// compare: 1e-5
extern __shared__ unsigned char storage[];

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    float* As = reinterpret_cast<float*>(storage);
    float(*Bs)[20] = reinterpret_cast<float(*)[20]>(storage + 16 * 16 * sizeof(float));
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float acc = 0;
    for (int t = 0; t < K; t += 16) {
        As[ty * 16 + tx] = row < M && t + tx < K ? A[row * K + t + tx] : 0.f;
        Bs[ty][tx] = t + ty < K && col < N ? B[(t + ty) * N + col] : 0.f;
        __syncthreads();
#pragma unroll 4
        for (int k = 0; k < 16; ++k) acc = fmaf(As[ty * 16 + k], Bs[k][tx], acc);
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
