// bug: float4 reads of a shared array that is only aligned for floats, behind an array of three
// expect: misaligned
// diag: 16-byte access at 12 bytes from the start of shared memory
// says: itself starts at an address; __align__(16)
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: 16,16,16; 5,7,9
// shape_pass: none
// at_pass: misaligned at every shape
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float sizes[3];
    __shared__ float As[16][16];
    __shared__ float Bs[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    if (ty == 0 && tx < 3) sizes[tx] = tx == 0 ? M : tx == 1 ? N : K;
    __syncthreads();
    float acc = 0.0f;
    for (int k0 = 0; k0 < sizes[2]; k0 += 16) {
        As[ty][tx] = row < M && k0 + tx < K ? A[row * K + k0 + tx] : 0.0f;
        Bs[ty][tx] = k0 + ty < K && col < N ? B[(k0 + ty) * N + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < 16; k += 4) {
            const float4 a = *reinterpret_cast<const float4*>(&As[ty][k]);
            acc += a.x * Bs[k][tx] + a.y * Bs[k + 1][tx] + a.z * Bs[k + 2][tx] + a.w * Bs[k + 3][tx];
        }
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
