// expect: passed
// Float32 by three TF32 products: the rounded inputs, and what the rounding left of each. Its error is float32's.
// board: right

// One warp computes 16×8 elements of C with the tensor cores.
__device__ unsigned tf32(float x)
{
    unsigned bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
    return bits;
}

__device__ void multiply(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2])
{
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int lane = threadIdx.x, group = lane / 4, place = lane % 4;
    const int row0 = blockIdx.y * 16, col0 = blockIdx.x * 8;
    float d[4] = {};
    for (int k0 = 0; k0 < K; k0 += 8) {
        unsigned a[4], b[2], a_rest[4], b_rest[2];
        for (int i = 0; i < 4; ++i) {
            const int row = row0 + group + i % 2 * 8, k = k0 + place + i / 2 * 4;
            const float x = row < M && k < K ? A[row * K + k] : 0.0f;
            a[i] = tf32(x);
            a_rest[i] = tf32(x - __uint_as_float(a[i]));
        }
        for (int i = 0; i < 2; ++i) {
            const int k = k0 + place + i * 4, col = col0 + group;
            const float x = k < K && col < N ? B[k * N + col] : 0.0f;
            b[i] = tf32(x);
            b_rest[i] = tf32(x - __uint_as_float(b[i]));
        }
        multiply(d, a_rest, b);
        multiply(d, a, b_rest);
        multiply(d, a, b);
    }
    for (int i = 0; i < 4; ++i) {
        const int row = row0 + group + i / 2 * 8, col = col0 + place * 2 + i % 2;
        if (row < M && col < N) C[row * N + col] = d[i];
    }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K)
{
    gemm<<<dim3((N + 7) / 8, (M + 15) / 16), 32>>>(A, B, C, M, N, K);
}
