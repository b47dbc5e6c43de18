// Beyond the ladder: float32 on tensor cores. A is M×K, B is K×N, C is M×N, all row-major float32, and C is as exact as
// that of a float32 kernel. TF32 has 11 bits of a float's 24, so each factor is split: x = big + small, big being x cut to
// TF32. Three products remain of four:
//     a·b ≈ a_small·b_big + a_big·b_small + a_big·b_big
// The fourth is below float32's rounding. Tensor cores cut a sum where a float32 addition rounds it, always towards zero,
// and over 4096 products that would add up. So they only sum one tile of K, from zero; the tile's sums are added to the
// running ones by ordinary float32 additions.
// Where sums do not cancel, what is cut off shows: of numbers in [0, 1), C is off by some three times as much as that of
// SGEMM; of numbers in [-1, 1) by less than half.
// The rest is as in `half_mma`; fragments of B are read float by float, because ldmatrix transposes 16-bit numbers only.
// Launch: 32 threads a warp tile, in one dimension; one block a tile of C; STAGES * STAGE_BYTES of dynamic shared memory.
#include <cuda_pipeline.h>

#define BM 128
#define BN 128
#define BK 32
#define STAGES 3
#define WM 64
#define WN 32
#define GROUP 8
#define THREADS (BM / WM * (BN / WN) * 32)
#define TILES_M (WM / 16)  // products down and across a warp's tile
#define TILES_N (WN / 8)
#define CHUNK 4  // floats in 16 bytes, which is what one copy takes
#define PAD 8    // with it the 4×8 floats of a fragment of B lie in different banks
#define A_CHUNKS (BK / CHUNK)
#define B_CHUNKS (BN / CHUNK)
#define A_STEP (THREADS / A_CHUNKS)  // rows from one copy of a thread to its next
#define B_STEP (THREADS / B_CHUNKS)
#define B_BYTES ((BN + PAD) * 4)  // of a row of Bs
#define A_BYTES (BM * BK * 4)
#define STAGE_BYTES (A_BYTES + BK * B_BYTES)

// Where chunk number `chunk` of a row of As lies in that row, see half_mma.
__device__ __forceinline__ int a_chunk(int row, int chunk)
{
    return A_CHUNKS >= 8 ? chunk ^ row % 8 : chunk ^ row / (8 / A_CHUNKS) % A_CHUNKS;
}

__device__ __forceinline__ void load_a(float (&to)[4], unsigned from)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=f"(to[0]), "=f"(to[1]), "=f"(to[2]), "=f"(to[3])
                 : "r"(from)
                 : "memory");
}

__device__ __forceinline__ void mma(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2])
{
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// x = big + small, exactly; of small the tensor core takes the upper 11 bits.
__device__ __forceinline__ void split(float x, unsigned& big, unsigned& small)
{
    big = __float_as_uint(x) & 0xFFFFE000u;
    small = __float_as_uint(x - __uint_as_float(big));
}

// WIDE: all rows of A and B begin at multiples of 16 bytes, and those of C at multiples of 8.
template <bool WIDE>
__device__ __forceinline__ void multiply(char* shared, const float* A, const float* B, float* C, int M, int N, int K)
{
    const int tid = threadIdx.x;
    const int lane = tid % 32;
    const int warp = tid / 32;
    const int id = blockIdx.y * gridDim.x + blockIdx.x;
    const int per_group = GROUP * gridDim.x;
    const int first = id / per_group * GROUP;
    const int height = min(GROUP, int(gridDim.y) - first);
    const int row0 = (first + id % per_group % height) * BM;  // where the block's tile begins in C
    const int col0 = id % per_group / height * BN;
    const int warp_row = warp / (BN / WN) * WM;  // where the warp's tile begins in the block's
    const int warp_col = warp % (BN / WN) * WN;

    // Each thread copies one chunk of every A_STEP-th row of A, and of every B_STEP-th row of B. What is outside becomes
    // zeros: of a copy that takes no bytes nothing is read.
    const int a_row = tid / A_CHUNKS;
    const int a_k = tid % A_CHUNKS * CHUNK;
    const int b_row = tid / B_CHUNKS;
    const int b_col = tid % B_CHUNKS * CHUNK;
    char* const a_to = shared + (a_row * A_CHUNKS + a_chunk(a_row, tid % A_CHUNKS)) * 16;
    char* const b_to = shared + A_BYTES + b_row * B_BYTES + b_col * 4;
    const float* a_from = A + size_t(row0 + a_row) * K + a_k;
    const float* b_from = B + size_t(b_row) * N + col0 + b_col;
    const size_t a_step = size_t(A_STEP) * K;
    const size_t b_step = size_t(B_STEP) * N;
    const int a_left = M - row0 - a_row;
    const int b_left = N - col0 - b_col;
    int k_left = K;

    // One chunk, of which the first `count` floats exist.
    auto copy = [&](char* to, const float* from, int count) {
        if (WIDE) {
            __pipeline_memcpy_async(to, from, 16, count > 0 ? 0 : 16);
        } else {
            for (int e = 0; e < CHUNK; ++e) {
                __pipeline_memcpy_async(to + 4 * e, from + e, 4, e < count ? 0 : 4);
            }
        }
    };
    auto start_copies = [&](int stage) {
        const int offset = stage * STAGE_BYTES;
#pragma unroll
        for (int i = 0; i < BM / A_STEP; ++i) {
            copy(a_to + offset + i * THREADS * 16, a_from + i * a_step, i * A_STEP < a_left ? k_left - a_k : 0);
        }
#pragma unroll
        for (int i = 0; i < BK / B_STEP; ++i) {
            copy(b_to + offset + i * B_STEP * B_BYTES, b_from + i * b_step, b_row + i * B_STEP < k_left ? b_left : 0);
        }
        __pipeline_commit();
        a_from += BK;
        b_from += size_t(BK) * N;
        k_left -= BK;
    };

    float acc[TILES_M][TILES_N][4] = {};  // the running sums, two neighbours of C in two rows
    float sum[TILES_M][TILES_N][4];       // the same over one tile of K
    float a[2][TILES_M][4];               // two sets of fragments
    float b[2][TILES_N][2];
    const unsigned base = __cvta_generic_to_shared(shared);
    auto read_fragments = [&](int stage, int k, int set) {
        const unsigned As = base + stage * STAGE_BYTES;
#pragma unroll
        for (int i = 0; i < TILES_M; ++i) {
            const int row = warp_row + i * 16 + lane % 16;
            load_a(a[set][i], As + (row * A_CHUNKS + a_chunk(row, 2 * k + lane / 16)) * 16);
        }
        const float* Bs = reinterpret_cast<const float*>(shared + stage * STAGE_BYTES + A_BYTES);
        const float* from = Bs + (8 * k + lane % 4) * (BN + PAD) + warp_col + lane / 4;
#pragma unroll
        for (int j = 0; j < TILES_N; ++j) {
            b[set][j][0] = from[8 * j];
            b[set][j][1] = from[4 * (BN + PAD) + 8 * j];
        }
    };
    // The small terms come first, so that they are added to a small sum.
    auto multiply_fragments = [&](int set) {
        unsigned b_big[TILES_N][2];
        unsigned b_small[TILES_N][2];
        for (int j = 0; j < TILES_N; ++j) {
            for (int e = 0; e < 2; ++e) {
                split(b[set][j][e], b_big[j][e], b_small[j][e]);
            }
        }
#pragma unroll
        for (int i = 0; i < TILES_M; ++i) {
            unsigned a_big[4];
            unsigned a_small[4];
            for (int e = 0; e < 4; ++e) {
                split(a[set][i][e], a_big[e], a_small[e]);
            }
            for (int j = 0; j < TILES_N; ++j) {
                mma(sum[i][j], a_small, b_big[j]);
            }
            for (int j = 0; j < TILES_N; ++j) {
                mma(sum[i][j], a_big, b_small[j]);
            }
            for (int j = 0; j < TILES_N; ++j) {
                mma(sum[i][j], a_big, b_big[j]);
            }
        }
    };

    for (int stage = 0; stage < STAGES - 1; ++stage) {
        start_copies(stage);
    }
    __pipeline_wait_prior(STAGES - 2);
    __syncthreads();
    read_fragments(0, 0, 0);
    int stage = 0;            // the stage that is multiplied
    int filled = STAGES - 1;  // the stage that is filled
    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int i = 0; i < TILES_M; ++i) {
            for (int j = 0; j < TILES_N; ++j) {
                for (int e = 0; e < 4; ++e) {
                    sum[i][j][e] = 0.0f;
                }
            }
        }
#pragma unroll
        for (int k = 0; k < BK / 8; ++k) {
            // Read after write: the next fragments are those of the next tiles, which must have arrived for all.
            // Write after read: the next turn overwrites this stage, which all have read by now.
            if (k == BK / 8 - 1) {
                __pipeline_wait_prior(STAGES - 2);
                __syncthreads();
                stage = stage == STAGES - 1 ? 0 : stage + 1;
            }
            read_fragments(stage, (k + 1) % (BK / 8), (k + 1) % 2);
            if (k == 0) {
                start_copies(filled);
                filled = filled == STAGES - 1 ? 0 : filled + 1;
            }
            multiply_fragments(k % 2);
        }
        for (int i = 0; i < TILES_M; ++i) {
            for (int j = 0; j < TILES_N; ++j) {
                for (int e = 0; e < 4; ++e) {
                    acc[i][j][e] += sum[i][j][e];
                }
            }
        }
    }
    __pipeline_wait_prior(0);  // no copy may be under way when the block ends

#pragma unroll
    for (int i = 0; i < 2 * TILES_M; ++i) {
        const int row = row0 + warp_row + i * 8 + lane / 4;
#pragma unroll
        for (int j = 0; j < TILES_N; ++j) {
            const int col = col0 + warp_col + j * 8 + lane % 4 * 2;
            const float* sums = &acc[i / 2][j][i % 2 * 2];
            float* to = C + size_t(row) * N + col;
            if (WIDE) {
                if (row < M && col < N) {
                    *reinterpret_cast<float2*>(to) = make_float2(sums[0], sums[1]);
                }
            } else {
                for (int e = 0; e < 2; ++e) {
                    if (row < M && col + e < N) {
                        to[e] = sums[e];
                    }
                }
            }
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    extern __shared__ __align__(128) char shared[];
    const size_t starts = reinterpret_cast<size_t>(A) | reinterpret_cast<size_t>(B);
    if (N % CHUNK == 0 && K % CHUNK == 0 && starts % 16 == 0 && reinterpret_cast<size_t>(C) % 8 == 0) {
        multiply<true>(shared, A, B, C, M, N, K);
    } else {
        multiply<false>(shared, A, B, C, M, N, K);
    }
}
