// shape: 24,35,8
// block: 5,4,3
// grid: 7,3,2
// inputs: unit
// compare: bits
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = (blockIdx.z * gridDim.y + blockIdx.y) * blockDim.y + threadIdx.y;
    unsigned wide, warps, dynamic, clock_low;
    asm("mov.u32 %0, %%ntid.z;" : "=r"(wide));
    asm("mov.u32 %0, %%nctaid.x;" : "=r"(warps));
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(dynamic));
    asm volatile("mov.u32 %0, %%clock;" : "=r"(clock_low));
    long long start = clock64();
    __nanosleep(10);
    bool sensible = clock64() >= start && clock() != 0x7fffffff && warpSize == 32;
    if (threadIdx.z == 2)
        C[row * N + col] = col + 100 * row + 10000 * threadIdx.z + wide + warps + dynamic + (sensible ? 0 : 1000000);
}
