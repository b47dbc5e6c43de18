// rows: add addf addd min max and or xor inc dec exch cas umin ull sub half2
// shape: 16,32,8
// block: 128
// grid: 1,M
// inputs: unit
// compare: 1e-5
#include <cuda_fp16.h>

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ int ints[32];
    __shared__ float floats[32];
    __shared__ double doubles[32];
    __shared__ unsigned long long longs[32];
    __shared__ __half2 halves[32];
    int row = blockIdx.y, tid = threadIdx.x, lane = tid % 32;
    int n = (int)(A[tid] * 1000);
    if (tid < 32) {
        ints[tid] = tid * 3;
        floats[tid] = 0;
        doubles[tid] = 0;
        longs[tid] = 1ull << 40;
        halves[tid] = __float2half2_rn(0.f);
    }
    __syncthreads();
    int* at = &ints[(lane * 3) % 32];
    switch (row) {
    case 0: atomicAdd(at, n); break;
    case 1: atomicAdd(&floats[lane], A[tid]); break;
    case 2: atomicAdd(&doubles[lane], (double)A[tid]); break;
    case 3: atomicMin(at, n); break;
    case 4: atomicMax(at, n); break;
    case 5: atomicAnd(at, n); break;
    case 6: atomicOr(at, n); break;
    case 7: atomicXor(at, n); break;
    case 8: atomicInc((unsigned*)at, 40u); break;
    case 9: atomicDec((unsigned*)at, 40u); break;
    case 10: if (tid < 32) atomicExch(at, n); break;
    case 11:
        for (int seen = *(volatile int*)at, before;; seen = before)
            if ((before = atomicCAS(at, seen, seen + n)) == seen) break;
        break;
    case 12: atomicMin((unsigned*)at, (unsigned)n); break;
    case 13: atomicAdd(&longs[lane], (unsigned long long)(n + 1000) << 20); break;
    case 14: atomicSub(at, n); break;
    default: atomicAdd(&halves[lane], __floats2half2_rn(n % 8, 2.f));
    }
    __syncthreads();
    if (tid < 32) {
        float result = row == 1 ? floats[tid] : row == 2 ? (float)doubles[tid] : row == 13 ? (float)(longs[tid] >> 20)
                     : row == 15 ? __low2float(halves[tid]) + __high2float(halves[tid]) : (float)ints[tid];
        C[row * N + tid] = result;
    }
}
