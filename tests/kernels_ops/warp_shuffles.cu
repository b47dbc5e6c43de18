// rows: idx up down xor idx8 up16 down4 xor8 double ll half2 reduce scan broadcast unsigned
// shape: 15,64,16
// block: 64
// grid: 1,M
// inputs: unit
// compare: 1e-6
#include <cuda_fp16.h>
#define ALL 0xffffffffu

__device__ float compute(int row, float x)
{
    int lane = threadIdx.x & 31;
    switch (row) {
    case 0: return __shfl_sync(ALL, x, (lane * 5) & 31);
    case 1: return __shfl_up_sync(ALL, x, 3);
    case 2: return __shfl_down_sync(ALL, x, 7);
    case 3: return __shfl_xor_sync(ALL, x, 21);
    case 4: return __shfl_sync(ALL, x, lane + 3, 8);
    case 5: return __shfl_up_sync(ALL, x, 2, 16);
    case 6: return __shfl_down_sync(ALL, x, 1, 4);
    case 7: return __shfl_xor_sync(ALL, x, 5, 8);
    case 8: return (float)__shfl_xor_sync(ALL, (double)x * 3, 1);
    case 9: return (float)__shfl_down_sync(ALL, (long long)(x * 1000) << 33, 4);
    case 10: return __low2float(__shfl_xor_sync(ALL, __floats2half2_rn(lane, x), 2));
    case 11:
        for (int offset = 16; offset; offset /= 2) x += __shfl_xor_sync(ALL, x, offset);
        return x;
    case 12:
        for (int offset = 1; offset < 32; offset *= 2) {
            float other = __shfl_up_sync(ALL, x, offset);
            if (lane >= offset) x += other;
        }
        return x;
    case 13: return __shfl_sync(ALL, x, 35);
    default: return __shfl_sync(ALL, (unsigned)lane * 7u, 31 - lane);
    }
}

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    int row = blockIdx.y, col = threadIdx.x;
    C[row * N + col] = compute(row, A[col]);
}
