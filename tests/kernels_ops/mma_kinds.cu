// shape: 96,8,16
// block: 32
// grid: 1,6
// inputs: unit
// compare: 2e-2
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__device__ unsigned pack_half(float x, float y)
{
    __half2 pair = __floats2half2_rn(x, y);
    return *reinterpret_cast<unsigned*>(&pair);
}

__device__ unsigned pack_bfloat(float x, float y)
{
    __nv_bfloat162 pair = __floats2bfloat162_rn(x, y);
    return *reinterpret_cast<unsigned*>(&pair);
}

__device__ unsigned tf32(float x)
{
    unsigned bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
    return bits;
}

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    int kind = blockIdx.y, lane = threadIdx.x, g = lane / 4, t = lane % 4;
    const float* a = A + kind * 16 * K;
    float d[4] = {0, 0, 0, 0};
    auto at = [&](int row, int k) { return a[row * K + k]; };
    auto bt = [&](int k, int col) { return B[k * N + col]; };
    if (kind == 0 || kind == 2)
        for (int k = 0; k < 16; k += 8) {
            auto pack = [&](float x, float y) { return kind == 0 ? pack_half(x, y) : pack_bfloat(x, y); };
            unsigned a0 = pack(at(g, k + 2 * t), at(g, k + 2 * t + 1));
            unsigned a1 = pack(at(g + 8, k + 2 * t), at(g + 8, k + 2 * t + 1));
            unsigned b0 = pack(bt(k + 2 * t, g), bt(k + 2 * t + 1, g));
            if (kind == 0)
                asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                    : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a0), "r"(a1), "r"(b0));
            else
                asm("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                    : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a0), "r"(a1), "r"(b0));
        }
    else if (kind == 1 || kind == 3) {
        unsigned a_[4], b_[2];
        for (int i = 0; i < 4; ++i) {
            int row = g + i % 2 * 8, k = 2 * t + i / 2 * 8;
            a_[i] = kind == 1 ? pack_half(at(row, k), at(row, k + 1)) : pack_bfloat(at(row, k), at(row, k + 1));
        }
        for (int i = 0; i < 2; ++i) {
            int k = 2 * t + i * 8;
            b_[i] = kind == 1 ? pack_half(bt(k, g), bt(k + 1, g)) : pack_bfloat(bt(k, g), bt(k + 1, g));
        }
        if (kind == 1) {
            unsigned h[2] = {0, 0};
            asm("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"
                : "+r"(h[0]), "+r"(h[1]) : "r"(a_[0]), "r"(a_[1]), "r"(a_[2]), "r"(a_[3]), "r"(b_[0]), "r"(b_[1]));
            for (int i = 0; i < 4; ++i) d[i] = __half2float(reinterpret_cast<__half*>(h)[i]);
        } else {
            asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                : "r"(a_[0]), "r"(a_[1]), "r"(a_[2]), "r"(a_[3]), "r"(b_[0]), "r"(b_[1]));
        }
    } else if (kind == 4) {
        for (int k = 0; k < 16; k += 4)
            asm("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                : "r"(tf32(at(g, k + t))), "r"(tf32(at(g + 8, k + t))), "r"(tf32(bt(k + t, g))));
    } else {
        for (int k = 0; k < 16; k += 8)
            asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                : "r"(tf32(at(g, k + t))), "r"(tf32(at(g + 8, k + t))), "r"(tf32(at(g, k + t + 4))),
                  "r"(tf32(at(g + 8, k + t + 4))), "r"(tf32(bt(k + t, g))), "r"(tf32(bt(k + t + 4, g))));
    }
    float* c = C + kind * 16 * N;
    for (int i = 0; i < 4; ++i) c[(g + i / 2 * 8) * N + 2 * t + i % 2] = d[i];
}
