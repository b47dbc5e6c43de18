// One property of a GPU a kernel; gemmlab.gpu.constants times each for two numbers of rounds and takes the slope, in which
// launch and set-up cancel. STEPS instructions of a kind make a round. No store ever happens, but the compiler cannot know.

#define STEPS 64
#define CHAINS 8  // sums of a thread that do not wait for each other
#define KEEP(value) \
    if ((value) == -1.0f) out[threadIdx.x] = (value)
#define KEEP_INT(value) \
    if ((value) == 0x7fffffff) out[threadIdx.x] = 1.0f

typedef unsigned long long address;

// ---- latencies: each instruction needs the result of the one before

extern "C" __global__ void chain_fma(float* out, int rounds)
{
    float x = threadIdx.x;
    const float a = out[0], b = out[1];
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < STEPS; ++i) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x) : "f"(a), "f"(b));
    }
    KEEP(x);
}

extern "C" __global__ void chain_imad(float* out, int rounds)
{
    int x = threadIdx.x;
    const int a = __float_as_int(out[0]), b = __float_as_int(out[1]);
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < STEPS; ++i) asm volatile("mad.lo.s32 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b));
    }
    KEEP_INT(x);
}

// LOP3 and VIMNMX in turns, which the assembler cannot join, and which it cannot do by multiplying, as it can add.
extern "C" __global__ void chain_alu(float* out, int rounds)
{
    int x = threadIdx.x;
    const int a = __float_as_int(out[0]), b = __float_as_int(out[1]);
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < STEPS / 2; ++i) {
            asm volatile("xor.b32 %0, %0, %1;" : "+r"(x) : "r"(a));
            asm volatile("min.s32 %0, %0, %1;" : "+r"(x) : "r"(b));
        }
    }
    KEEP_INT(x);
}

extern "C" __global__ void chain_shuffle(float* out, int rounds)
{
    float x = threadIdx.x;
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < STEPS; ++i) x = __shfl_xor_sync(0xffffffffu, x, 1);
    }
    KEEP(x);
}

// Shared memory holds the address of the next word in each word.
extern "C" __global__ void chain_shared(float* out, int rounds)
{
    __shared__ __align__(16) unsigned next[1024];
    const unsigned base = __cvta_generic_to_shared(next);
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) next[i] = base + 4 * ((i + 36) % 1024);
    __syncthreads();
    unsigned at = base + 4 * threadIdx.x;
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < STEPS; ++i) asm volatile("ld.volatile.shared.u32 %0, [%0];" : "+r"(at));
    }
    KEEP_INT(at);
}

extern "C" __global__ void chain_shared_16(float* out, int rounds)
{
    __shared__ __align__(16) unsigned next[1024];
    const unsigned base = __cvta_generic_to_shared(next);
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) next[i] = base + 4 * ((i + 36) % 1024 / 4 * 4);
    __syncthreads();
    unsigned at = base + 16 * threadIdx.x, b, c, d;
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < STEPS; ++i)
            asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%0];" : "+r"(at), "=r"(b), "=r"(c), "=r"(d));
    }
    KEEP_INT(at + b + c + d);
}

// Each word of `ring`, step bytes apart, becomes the address of the next; count of them make the ring.
extern "C" __global__ void make_ring(char* ring, long long step, int count)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        *reinterpret_cast<address*>(ring + i * step) = reinterpret_cast<address>(ring + (i + 1) % count * step);
}

#define CHASE(NAME, LOAD)                                                                        \
    extern "C" __global__ void NAME(char* ring, float* out, int rounds)                          \
    {                                                                                            \
        address at = reinterpret_cast<address>(ring);                                            \
        for (int round = 0; round < rounds; ++round) {                                           \
            _Pragma("unroll") for (int i = 0; i < STEPS; ++i) asm volatile(LOAD : "+l"(at));     \
        }                                                                                        \
        if (at == 1) out[0] = 1.0f;                                                              \
    }
CHASE(chase_l1, "ld.global.ca.u64 %0, [%0];")
CHASE(chase_l2, "ld.global.cg.u64 %0, [%0];")

extern "C" __global__ void barriers(float* out, int rounds)
{
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < STEPS; ++i) asm volatile("bar.sync 0;" ::: "memory");
    }
    if (rounds < 0) out[0] = 1.0f;
}

// ---- rates: all SMs full of warps

#define RATE_HEAD extern "C" __global__ void __launch_bounds__(512)

RATE_HEAD rate_ffma(float* out, int rounds)
{
    float x[CHAINS];
    const float a = out[0], b = out[1];
    for (int i = 0; i < CHAINS; ++i) x[i] = threadIdx.x + i;
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < STEPS; ++i) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x[i % CHAINS]) : "f"(a), "f"(b));
    }
    float sum = 0.0f;
    for (int i = 0; i < CHAINS; ++i) sum += x[i];
    KEEP(sum);
}

// 64 sums of an outer product of 8 by 8, as a register tile makes them: 3 registers an instruction.
extern "C" __global__ void __launch_bounds__(256) rate_outer_product(float* out, int rounds)
{
    float a[8], b[8], sums[8][8];
    for (int i = 0; i < 8; ++i) {
        a[i] = out[i];
        b[i] = out[8 + i];
        for (int j = 0; j < 8; ++j) sums[i][j] = threadIdx.x + i * j;
    }
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < 8; ++i) {
#pragma unroll
            for (int j = 0; j < 8; ++j) asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(sums[i][j]) : "f"(a[i]), "f"(b[j]));
        }
    }
    float sum = 0.0f;
    for (int i = 0; i < 64; ++i) sum += sums[i / 8][i % 8];
    KEEP(sum);
}

RATE_HEAD rate_imad(float* out, int rounds)
{
    int x[CHAINS];
    const int a = __float_as_int(out[0]), b = __float_as_int(out[1]);
    for (int i = 0; i < CHAINS; ++i) x[i] = threadIdx.x + i;
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < STEPS; ++i) asm volatile("mad.lo.s32 %0, %0, %1, %2;" : "+r"(x[i % CHAINS]) : "r"(a), "r"(b));
    }
    int sum = 0;
    for (int i = 0; i < CHAINS; ++i) sum += x[i];
    KEEP_INT(sum);
}

// Sums of 64 bits, as addresses are made.
RATE_HEAD rate_imad_wide(float* out, int rounds)
{
    long long x[CHAINS];
    const int a = __float_as_int(out[0]), b = __float_as_int(out[1]);
    for (int i = 0; i < CHAINS; ++i) x[i] = threadIdx.x + i;
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < STEPS; ++i) asm volatile("mad.wide.s32 %0, %1, %2, %0;" : "+l"(x[i % CHAINS]) : "r"(a), "r"(b));
    }
    long long sum = 0;
    for (int i = 0; i < CHAINS; ++i) sum += x[i];
    KEEP_INT(sum);
}

RATE_HEAD rate_alu(float* out, int rounds)
{
    int x[CHAINS];
    const int a = __float_as_int(out[0]), b = __float_as_int(out[1]);
    for (int i = 0; i < CHAINS; ++i) x[i] = threadIdx.x + i;
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < STEPS; ++i) {
            if (i / CHAINS % 2)
                asm volatile("xor.b32 %0, %0, %1;" : "+r"(x[i % CHAINS]) : "r"(a));
            else
                asm volatile("min.s32 %0, %0, %1;" : "+r"(x[i % CHAINS]) : "r"(b));
        }
    }
    int sum = 0;
    for (int i = 0; i < CHAINS; ++i) sum += x[i];
    KEEP_INT(sum);
}

// Multiply-adds and whole-number work in turns, for two pipes.
#define MIXED(NAME, OTHER, CONSTANT)                                                                               \
    RATE_HEAD NAME(float* out, int rounds)                                                                         \
    {                                                                                                              \
        float x[CHAINS];                                                                                           \
        int y[CHAINS];                                                                                             \
        const float a = out[0], b = out[1];                                                                        \
        const int c = __float_as_int(out[2]), d = __float_as_int(out[3]);                                          \
        for (int i = 0; i < CHAINS; ++i) x[i] = y[i] = threadIdx.x + i;                                            \
        for (int round = 0; round < rounds; ++round) {                                                             \
            _Pragma("unroll") for (int i = 0; i < STEPS / 2; ++i) {                                                \
                asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x[i % CHAINS]) : "f"(a), "f"(b));                 \
                asm volatile(OTHER : "+r"(y[i % CHAINS]) : "r"(c), "r"(d));                                        \
            }                                                                                                      \
        }                                                                                                          \
        float sum = 0.0f;                                                                                          \
        for (int i = 0; i < CHAINS; ++i) sum += x[i] + y[i];                                                       \
        KEEP(sum);                                                                                                 \
    }
MIXED(rate_ffma_imad, "mad.lo.s32 %0, %0, %1, %2;", 0)
MIXED(rate_ffma_alu, "lop3.b32 %0, %0, %1, %2, 0x96;", 0)

RATE_HEAD rate_shuffle(float* out, int rounds)
{
    float x[CHAINS];
    for (int i = 0; i < CHAINS; ++i) x[i] = threadIdx.x + i;
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < STEPS; ++i) x[i % CHAINS] = __shfl_xor_sync(0xffffffffu, x[i % CHAINS], 1);
    }
    float sum = 0.0f;
    for (int i = 0; i < CHAINS; ++i) sum += x[i];
    KEEP(sum);
}

// Reads of shared memory: lane i reads at i * step bytes, with step 0 all lanes the same. `fmas` multiply-adds go with each.
template <int WIDTH, int FMAS>
__device__ void read_shared(float* out, int rounds, int step)
{
    __shared__ __align__(16) float tile[8192];
    for (int i = threadIdx.x; i < 8192; i += blockDim.x) tile[i] = 0.0f;
    __syncthreads();
    unsigned at = __cvta_generic_to_shared(tile) + threadIdx.x % 32 * step;
    float x[CHAINS];
    for (int i = 0; i < CHAINS; ++i) x[i] = threadIdx.x + i;
    const float a = out[0];
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < STEPS; ++i) {
            float v, w, y, z;
            if (WIDTH == 4) asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(v) : "r"(at));
            if (WIDTH == 8) asm volatile("ld.volatile.shared.v2.f32 {%0, %1}, [%2];" : "=f"(v), "=f"(w) : "r"(at));
            if (WIDTH == 16)
                asm volatile("ld.volatile.shared.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(v), "=f"(w), "=f"(y), "=f"(z) : "r"(at));
            if (FMAS == 0) x[i % CHAINS] += v;
#pragma unroll
            for (int j = 0; j < FMAS; ++j) asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(x[j % CHAINS]) : "f"(v), "f"(a));
        }
    }
    float sum = 0.0f;
    for (int i = 0; i < CHAINS; ++i) sum += x[i];
    KEEP(sum);
}
RATE_HEAD rate_shared_4(float* out, int rounds, int step) { read_shared<4, 0>(out, rounds, step); }
RATE_HEAD rate_shared_8(float* out, int rounds, int step) { read_shared<8, 0>(out, rounds, step); }
RATE_HEAD rate_shared_16(float* out, int rounds, int step) { read_shared<16, 0>(out, rounds, step); }
RATE_HEAD rate_shared_4_fma_4(float* out, int rounds, int step) { read_shared<4, 4>(out, rounds, step); }
RATE_HEAD rate_shared_4_fma_8(float* out, int rounds, int step) { read_shared<4, 8>(out, rounds, step); }
RATE_HEAD rate_shared_16_fma_16(float* out, int rounds, int step) { read_shared<16, 16>(out, rounds, step); }

RATE_HEAD rate_shared_store(float* out, int rounds, int step)
{
    __shared__ float tile[8192];
    const unsigned at = __cvta_generic_to_shared(tile) + threadIdx.x % 32 * step;
    const float x = threadIdx.x;
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < STEPS; ++i) asm volatile("st.volatile.shared.f32 [%0], %1;" : : "r"(at), "f"(x) : "memory");
    }
    if (rounds < 0) out[0] = tile[0];
}

// Reads that the L1 cache serves: lane i reads at i * step bytes of a window that all threads of a block go around in.
template <int WIDTH>
__device__ void read_l1(const char* from, float* out, int rounds, int step, int window)
{
    float sum = 0.0f;
    int at = threadIdx.x % 32 * step;
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < STEPS; ++i) {
            float v, w, y, z;
            if (WIDTH == 4) asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(v) : "l"(from + at + 128 * i));
            if (WIDTH == 16)
                asm volatile("ld.global.ca.v4.f32 {%0, %1, %2, %3}, [%4];"
                             : "=f"(v), "=f"(w), "=f"(y), "=f"(z) : "l"(from + at + 128 * i));
            sum += v;
        }
        at = (at + 128) & (window - 1);
    }
    KEEP(sum);
}
RATE_HEAD rate_l1_4(const char* from, float* out, int rounds, int step, int window) { read_l1<4>(from, out, rounds, step, window); }
RATE_HEAD rate_l1_16(const char* from, float* out, int rounds, int step, int window) { read_l1<16>(from, out, rounds, step, window); }

// Reads past the L1 cache of pieces of `bytes`, each block its own, `apart` bytes from one to the next; 0: all the same.
template <int WIDTH>
__device__ void read_l2(const char* from, float* out, int rounds, long long apart, int bytes)
{
    from += blockIdx.x * apart;
    float sum = 0.0f;
    int at = threadIdx.x * WIDTH;
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            float v, w, y, z;
            if (WIDTH == 4) asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(v) : "l"(from + at));
            if (WIDTH == 16)
                asm volatile("ld.global.cg.v4.f32 {%0, %1, %2, %3}, [%4];"
                             : "=f"(v), "=f"(w), "=f"(y), "=f"(z) : "l"(from + at));
            sum += v;
            at = (at + blockDim.x * WIDTH) & (bytes - 1);
        }
    }
    KEEP(sum);
}
RATE_HEAD rate_l2_4(const char* from, float* out, int rounds, long long apart, int bytes)
{
    read_l2<4>(from, out, rounds, apart, bytes);
}
RATE_HEAD rate_l2_16(const char* from, float* out, int rounds, long long apart, int bytes)
{
    read_l2<16>(from, out, rounds, apart, bytes);
}

// Writes of 16 bytes a thread that the L2 cache keeps.
RATE_HEAD rate_l2_write(char* to, float* out, int rounds, long long apart, int bytes)
{
    to += blockIdx.x * apart;
    const float x = threadIdx.x;
    int at = threadIdx.x * 16;
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            asm volatile("st.global.cg.v4.f32 [%0], {%1, %1, %1, %1};" : : "l"(to + at), "f"(x) : "memory");
            at = (at + blockDim.x * 16) & (bytes - 1);
        }
    }
}

// The same by asynchronous copies into shared memory, 16 bytes a thread.
RATE_HEAD rate_async_copy(const char* from, float* out, int rounds, long long apart, int bytes)
{
    __shared__ __align__(16) float4 tile[512];
    from += blockIdx.x * apart;
    const unsigned to = __cvta_generic_to_shared(&tile[threadIdx.x]);
    int at = threadIdx.x * 16;
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" : : "r"(to), "l"(from + at) : "memory");
            at = (at + blockDim.x * 16) & (bytes - 1);
        }
        asm volatile("cp.async.commit_group;\ncp.async.wait_group 1;" ::: "memory");
    }
    if (rounds < 0) out[0] = tile[0].x;
}

// All threads go through memory side by side once a round: reads of 16 bytes, or writes.
RATE_HEAD read_dram(const float4* from, float* out, int rounds, long long count)
{
    const long long step = gridDim.x * (long long)blockDim.x;
    float sum = 0.0f;
    for (int round = 0; round < rounds; ++round) {
#pragma unroll 8
        for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < count; i += step) sum += __ldcs(from + i).x;
    }
    KEEP(sum);
}

RATE_HEAD write_dram(float4* to, float* out, int rounds, long long count)
{
    const long long step = gridDim.x * (long long)blockDim.x;
    for (int round = 0; round < rounds; ++round) {
#pragma unroll 4
        for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < count; i += step)
            to[i] = make_float4(round, 0.0f, 0.0f, 0.0f);
    }
}

// Every thread adds to an element of its own, `spread` of them before they come round again.
RATE_HEAD rate_atomic(float* to, float* out, int rounds, int spread)
{
    int at = (blockIdx.x * blockDim.x + threadIdx.x) & (spread - 1);
    for (int round = 0; round < rounds; ++round) {
        atomicAdd(&to[at], 1.0f);
        at = (at + gridDim.x * blockDim.x) & (spread - 1);
    }
}

// ---- launches

extern "C" __global__ void nothing(float* out, int rounds)
{
    if (rounds < 0) out[0] = 1.0f;
}

// Some 64 KB of code that runs through once a round: cold, its instructions come from memory.
extern "C" __global__ void straight(float* out, int rounds)
{
    float x = threadIdx.x;
    const float a = out[0], b = out[1];
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < 4096; ++i) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x) : "f"(a), "f"(b));
    }
    KEEP(x);
}
