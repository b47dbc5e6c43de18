// shape: 16,64,32
// block: 64
// grid: 1,M
// inputs: unit
// compare: 1e-5
__device__ unsigned shared_address(const void* pointer)
{
    unsigned address;
    asm("{ .reg .u64 wide; cvta.to.shared.u64 wide, %1; cvt.u32.u64 %0, wide; }" : "=r"(address) : "l"(pointer));
    return address;
}

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[32];
    __shared__ __align__(16) float row_of_B[64];
    int row = blockIdx.y, col = threadIdx.x, index, lane, chosen;
    asm("mad.lo.s32 %0, %1, %2, %3;" : "=r"(index) : "r"(row), "r"(K), "r"(col));
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    if (col < 32) {
        float value;
        asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(value) : "l"(A + index));
        asm volatile("st.shared.f32 [%0], %1;" ::"r"(shared_address(As) + 4 * lane), "f"(value) : "memory");
    }
    float acc = 0;
    for (int k = 0; k < K; ++k) {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        row_of_B[col] = B[k * N + col];
        asm volatile("bar.sync %0, %1;" ::"r"(2), "n"(64) : "memory");
        float a, x, y, z, w;
        asm volatile("ld.shared.f32 %0, [%1+0];" : "=f"(a) : "r"(shared_address(&As[k])));
        asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "r"(shared_address(&row_of_B[col & ~3])));
        float b = col % 4 == 0 ? x : col % 4 == 1 ? y : col % 4 == 2 ? z : w;
        asm("{\n .reg .pred p;\n setp.ge.f32 p, %1, 0f00000000;\n selp.s32 %0, 1, -1, p;\n}" : "=r"(chosen) : "f"(b));
        asm("fma.rn.f32 %0, %1, %2, %0;" : "+f"(acc) : "f"(a * chosen), "f"(fabsf(b)));
    }
    asm volatile("membar.cta;\n\tst.global.cg.f32 [%0], %1;" ::"l"(C + row * N + col), "f"(acc) : "memory");
}
