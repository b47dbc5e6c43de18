// rows: ballot any all activemask match_any match_all match_any64 add min max and or xor umin umax half_mask syncwarp divergent lanemask
// shape: 19,64,16
// block: 64
// grid: 1,M
// inputs: unit
// compare: bits
#define ALL 0xffffffffu

__device__ int compute(int row, float x)
{
    int lane = threadIdx.x & 31, n = (int)(x * 20), predicate = 0;
    unsigned mask;
    switch (row) {
    case 0: return __ballot_sync(ALL, x > 0);
    case 1: return __any_sync(ALL, x > 0.95f);
    case 2: return __all_sync(ALL, x > -0.97f);
    case 3: return __activemask();
    case 4: return __match_any_sync(ALL, n);
    case 5: mask = __match_all_sync(ALL, threadIdx.x / 32, &predicate); return mask + predicate;
    case 6: return __match_any_sync(ALL, (long long)n << 34);
    case 7: return __reduce_add_sync(ALL, n);
    case 8: return __reduce_min_sync(ALL, n);
    case 9: return __reduce_max_sync(ALL, n);
    case 10: return __reduce_and_sync(ALL, (unsigned)n);
    case 11: return __reduce_or_sync(ALL, (unsigned)n);
    case 12: return __reduce_xor_sync(ALL, (unsigned)n);
    case 13: return __reduce_min_sync(ALL, (unsigned)n);
    case 14: return __reduce_max_sync(ALL, (unsigned)n);
    case 15: return lane < 16 ? __ballot_sync(0x0000ffffu, n & 1) : __ballot_sync(0xffff0000u, n & 2);
    case 16: __syncwarp(); if (lane & 1) __syncwarp(0xaaaaaaaau); return lane;
    case 17: return lane % 3 == 0 ? (int)__reduce_add_sync(__activemask(), 1) : -1;
    default: {
        unsigned eq, lt, le, gt, ge;
        asm("mov.u32 %0, %%lanemask_eq;" : "=r"(eq));
        asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lt));
        asm("mov.u32 %0, %%lanemask_le;" : "=r"(le));
        asm("mov.u32 %0, %%lanemask_gt;" : "=r"(gt));
        asm("mov.u32 %0, %%lanemask_ge;" : "=r"(ge));
        return (eq * 3) ^ (lt * 5) ^ (le * 7) ^ (gt * 9) ^ (ge * 11);
    }
    }
}

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    int row = blockIdx.y, col = threadIdx.x;
    C[row * N + col] = __int_as_float(compute(row, A[col]));
}
