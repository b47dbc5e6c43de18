// What tensor cores take, and the reads that feed them: as in constants.cu, one property a kernel, timed for two numbers of
// rounds. It needs an architecture that has these instructions, sm_80 or later.

#define STEPS 64
#define CHAINS 8  // products of a warp that do not wait for each other
#define KEEP(value) \
    if ((value) == -1.0f) out[threadIdx.x] = (value)
#define KEEP_INT(value) \
    if ((value) == 0x7fffffff) out[threadIdx.x] = 1.0f

#define SUMS(d) "+f"((d)[0]), "+f"((d)[1]), "+f"((d)[2]), "+f"((d)[3])
#define FOUR(a) "r"((a)[0]), "r"((a)[1]), "r"((a)[2]), "r"((a)[3])
#define TWO(a) "r"((a)[0]), "r"((a)[1])
#define LARGE " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
#define SMALL " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"

// d += a·b, by one instruction of a warp.
struct Half {
    static __device__ void mma(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2])
    {
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32" LARGE : SUMS(d) : FOUR(a), TWO(b));
    }
};
struct HalfK8 {
    static __device__ void mma(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2])
    {
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32" SMALL : SUMS(d) : TWO(a), "r"(b[0]));
    }
};
struct Bfloat {
    static __device__ void mma(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2])
    {
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32" LARGE : SUMS(d) : FOUR(a), TWO(b));
    }
};
struct Tf32 {
    static __device__ void mma(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2])
    {
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32" LARGE : SUMS(d) : FOUR(a), TWO(b));
    }
};
struct Tf32K4 {
    static __device__ void mma(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2])
    {
        asm volatile("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32" SMALL : SUMS(d) : TWO(a), "r"(b[0]));
    }
};

template <class Kind, int COUNT, int FMAS>
__device__ void multiply(float* out, int rounds)
{
    const unsigned* const given = reinterpret_cast<const unsigned*>(out);
    const unsigned a[4] = {given[0], given[1], given[2], given[3]}, b[2] = {given[4], given[5]};
    const float c = out[6], e = out[7];
    float sums[COUNT][4], x[CHAINS];
    for (int i = 0; i < COUNT; ++i)
        for (int j = 0; j < 4; ++j) sums[i][j] = threadIdx.x + i + j;
    for (int i = 0; i < CHAINS; ++i) x[i] = threadIdx.x + i;
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < STEPS; ++i) {
            Kind::mma(sums[i % COUNT], a, b);
#pragma unroll
            for (int j = 0; j < FMAS; ++j) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x[j % CHAINS]) : "f"(c), "f"(e));
        }
    }
    float sum = 0.0f;
    for (int i = 0; i < COUNT; ++i) sum += sums[i][0] + sums[i][1] + sums[i][2] + sums[i][3];
    for (int i = 0; i < CHAINS; ++i) sum += x[i];
    KEEP(sum);
}

#define HEAD extern "C" __global__ void __launch_bounds__(512)
HEAD chain_mma_half(float* out, int rounds) { multiply<Half, 1, 0>(out, rounds); }
HEAD chain_mma_half_k8(float* out, int rounds) { multiply<HalfK8, 1, 0>(out, rounds); }
HEAD chain_mma_bfloat(float* out, int rounds) { multiply<Bfloat, 1, 0>(out, rounds); }
HEAD chain_mma_tf32(float* out, int rounds) { multiply<Tf32, 1, 0>(out, rounds); }
HEAD chain_mma_tf32_k4(float* out, int rounds) { multiply<Tf32K4, 1, 0>(out, rounds); }
HEAD rate_mma_half(float* out, int rounds) { multiply<Half, CHAINS, 0>(out, rounds); }
HEAD rate_mma_half_k8(float* out, int rounds) { multiply<HalfK8, CHAINS, 0>(out, rounds); }
HEAD rate_mma_bfloat(float* out, int rounds) { multiply<Bfloat, CHAINS, 0>(out, rounds); }
HEAD rate_mma_tf32(float* out, int rounds) { multiply<Tf32, CHAINS, 0>(out, rounds); }
HEAD rate_mma_tf32_k4(float* out, int rounds) { multiply<Tf32K4, CHAINS, 0>(out, rounds); }
HEAD rate_mma_half_fma_8(float* out, int rounds) { multiply<Half, CHAINS, 8>(out, rounds); }
HEAD rate_mma_half_fma_16(float* out, int rounds) { multiply<Half, CHAINS, 16>(out, rounds); }

// A warp's tile of 64 by 64, as it stands in registers: 4 fragments of A by 8 of B, neighbours share one.
extern "C" __global__ void __launch_bounds__(256) rate_mma_outer_product(float* out, int rounds)
{
    const unsigned* const given = reinterpret_cast<const unsigned*>(out);
    unsigned a[4][4], b[8][2];
    float sums[4][8][4];
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) a[i][j] = given[4 * i + j];
    for (int i = 0; i < 8; ++i) b[i][0] = given[16 + i], b[i][1] = given[24 + i];
    for (int i = 0; i < 128; ++i) sums[i / 32][i / 4 % 8][i % 4] = threadIdx.x + i;
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < 64; ++i) {
            const int m = i / 8 % 4, n = m % 2 ? 7 - i % 8 : i % 8;
            Half::mma(sums[m][n], a[m], b[n]);
        }
    }
    float sum = 0.0f;
    for (int i = 0; i < 128; ++i) sum += sums[i / 32][i / 4 % 8][i % 4];
    KEEP(sum);
}

// Word i holds the address of row i, which lane i is to read from next; rows of 16 bytes lie side by side.
extern "C" __global__ void chain_ldmatrix(float* out, int rounds)
{
    __shared__ __align__(16) unsigned next[128];
    const unsigned base = __cvta_generic_to_shared(next);
    for (int i = threadIdx.x; i < 128; i += blockDim.x) next[i] = base + 16 * (i % 32);
    __syncthreads();
    unsigned at = base + 16 * threadIdx.x, b, c, d;
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < STEPS; ++i)
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%0];" : "+r"(at), "=r"(b), "=r"(c), "=r"(d));
    }
    KEEP_INT(at + b + c + d);
}

// Matrices of 8 rows of 16 bytes, `step` bytes from one row to the next, and `PRODUCTS` that need what was read. Each of a
// round lies elsewhere: the assembler would read the same matrix but once.
#define AT(i) (at + 512 * (i))
template <int COUNT, bool TURNED, int PRODUCTS>
__device__ void read_matrices(float* out, int rounds, int step)
{
    __shared__ __align__(16) float tile[9216];
    for (int i = threadIdx.x; i < 9216; i += blockDim.x) tile[i] = 0.0f;
    __syncthreads();
    const unsigned at = __cvta_generic_to_shared(tile) + threadIdx.x % 32 * step;
    unsigned x[CHAINS] = {};
    float sums[CHAINS][4] = {};
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < STEPS; ++i) {
            unsigned v[4] = {};
            if (COUNT == 1) asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(v[0]) : "r"(AT(i)));
            if (COUNT == 2)
                asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(v[0]), "=r"(v[1]) : "r"(AT(i)));
            if (COUNT == 4 && !TURNED)
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                             : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]) : "r"(AT(i)));
            if (COUNT == 4 && TURNED)
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                             : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]) : "r"(AT(i)));
            if (PRODUCTS == 0) x[i % CHAINS] ^= v[0];
            const unsigned b[2] = {v[0], v[2]};
#pragma unroll
            for (int j = 0; j < PRODUCTS; ++j) Half::mma(sums[(i * PRODUCTS + j) % CHAINS], v, b);
        }
    }
    float sum = 0.0f;
    for (int i = 0; i < CHAINS; ++i) sum += __uint_as_float(x[i]) + sums[i][0] + sums[i][1] + sums[i][2] + sums[i][3];
    KEEP(sum);
}
HEAD rate_ldmatrix_1(float* out, int rounds, int step) { read_matrices<1, false, 0>(out, rounds, step); }
HEAD rate_ldmatrix_2(float* out, int rounds, int step) { read_matrices<2, false, 0>(out, rounds, step); }
HEAD rate_ldmatrix_4(float* out, int rounds, int step) { read_matrices<4, false, 0>(out, rounds, step); }
HEAD rate_ldmatrix_4_turned(float* out, int rounds, int step) { read_matrices<4, true, 0>(out, rounds, step); }
HEAD rate_ldmatrix_mma_1(float* out, int rounds, int step) { read_matrices<4, false, 1>(out, rounds, step); }
HEAD rate_ldmatrix_mma_2(float* out, int rounds, int step) { read_matrices<4, false, 2>(out, rounds, step); }
HEAD rate_ldmatrix_mma_4(float* out, int rounds, int step) { read_matrices<4, false, 4>(out, rounds, step); }
