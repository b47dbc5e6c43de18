// Kernels that reach one ceiling of a GPU each; gemmlab.gpu.roofline times them.

#define CHAINS 8    // independent sums of a thread, so that no multiply-add waits for the one before
#define ROUNDS 2048

// 2 * CHAINS * ROUNDS FLOP a thread. Two registers an instruction, so that none waits for a bank of the register file. The store never happens, but the compiler cannot know.
extern "C" __global__ void __launch_bounds__(256) multiply_add(float* out, float a)
{
    float sums[CHAINS];
    for (int i = 0; i < CHAINS; ++i) {
        sums[i] = threadIdx.x + i;
    }
#pragma unroll 16
    for (int round = 0; round < ROUNDS; ++round) {
        for (int i = 0; i < CHAINS; ++i) {
            sums[i] = sums[i] * a + sums[i];
        }
    }
    float sum = 0.0f;
    for (int i = 0; i < CHAINS; ++i) {
        sum += sums[i];
    }
    if (sum == -1.0f) {
        out[threadIdx.x] = sum;
    }
}

// Reads and writes count float4 each.
extern "C" __global__ void copy(const float4* __restrict__ from, float4* __restrict__ to, long long count)
{
    const long long step = gridDim.x * (long long)blockDim.x;
#pragma unroll 4
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < count; i += step) {
        to[i] = from[i];
    }
}

// Each block reads a piece of its own, of mask + 1 float4, over and over, so that the L2 cache serves all but the first
// reads and no two blocks ask for the same line. __ldcg goes past the L1 cache.
extern "C" __global__ void __launch_bounds__(256) read_l2(const float4* from, float* out, int mask, int reads)
{
    from += (long long)blockIdx.x * (mask + 1);
    float sum = 0.0f;
    int at = threadIdx.x;
#pragma unroll 8
    for (int i = 0; i < reads; ++i) {
        const float4 v = __ldcg(from + (at & mask));
        sum += v.x + v.y + v.z + v.w;
        at += 256 + 32;
    }
    if (sum == -1.0f) {
        out[threadIdx.x] = sum;
    }
}

// ROUNDS reads of 16 bytes a thread from shared memory, without bank conflicts. They are volatile, because the compiler
// would not read twice what it knows already.
extern "C" __global__ void __launch_bounds__(1024) read_shared(float* out)
{
    __shared__ float4 tile[1024];
    tile[threadIdx.x] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    __syncthreads();
    const unsigned at = __cvta_generic_to_shared(&tile[threadIdx.x]);
    float sum = 0.0f;
#pragma unroll 16
    for (int round = 0; round < ROUNDS; ++round) {
        float4 v;
        asm volatile("ld.volatile.shared.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "r"(at));
        sum += v.x;
    }
    if (sum == -1.0f) {
        out[threadIdx.x] = sum;
    }
}

// CHAINS products of a warp a round, 16×8 by one instruction, with fragments that stay in registers. Nothing is known of
// the elements but that they are small numbers.
#if __CUDA_ARCH__ >= 800
#define PRODUCTS(NAME, SHAPE, TYPE)                                                                                     \
    extern "C" __global__ void __launch_bounds__(512) NAME(float* out, int rounds)                                      \
    {                                                                                                                   \
        float sums[CHAINS][4] = {};                                                                                     \
        const unsigned a = threadIdx.x * 65537u & 0x03FF03FFu, b = ~a & 0x03FF03FFu;                                    \
        for (int round = 0; round < rounds; ++round) {                                                                  \
            _Pragma("unroll") for (int i = 0; i < CHAINS; ++i) {                                                        \
                asm volatile("mma.sync.aligned." SHAPE ".row.col.f32." TYPE "." TYPE ".f32 "                            \
                             "{%0, %1, %2, %3}, {%4, %5, %4, %5}, {%5, %4}, {%0, %1, %2, %3};"                          \
                             : "+f"(sums[i][0]), "+f"(sums[i][1]), "+f"(sums[i][2]), "+f"(sums[i][3])                   \
                             : "r"(a), "r"(b));                                                                         \
            }                                                                                                           \
        }                                                                                                               \
        float sum = 0.0f;                                                                                               \
        for (int i = 0; i < CHAINS; ++i) {                                                                              \
            sum += sums[i][0] + sums[i][1] + sums[i][2] + sums[i][3];                                                   \
        }                                                                                                               \
        if (sum == -1.0f) {                                                                                             \
            out[threadIdx.x] = sum;                                                                                     \
        }                                                                                                               \
    }
PRODUCTS(float16_products, "m16n8k16", "f16")
PRODUCTS(tf32_products, "m16n8k8", "tf32")
#endif
