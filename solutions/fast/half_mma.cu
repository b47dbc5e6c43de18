// Beyond the ladder: C = A·B on tensor cores. A is M×K and B is K×N, both float16, C is M×N float32; all row-major.
// Lesson 11 asks for whole fragments and leaves their layout to WMMA. Here the layout is known, and used:
// - mma.sync multiplies 16×16 by 16×8 from registers that ldmatrix filled: four 8×8 matrices of shared memory by one
//   instruction, transposed where they are B's;
// - the tiles in shared memory are swizzled: 16-byte chunks of a row are moved by an exclusive or with the row's number,
//   so that the eight rows of a matrix lie in different banks, without a pad;
// - STAGES buffers are filled by cp.async, two sets of fragments are read ahead, as in `pipelined`;
// - a warp has 64×64 of C in 128 registers a thread, so that 32 products share eight reads;
// - GROUP rows of tiles go over the columns together: what neighbours in time read is still in the L2 cache.
// Launch: 32 threads a warp tile, in one dimension; one block a tile of C; STAGES * STAGE_BYTES of dynamic shared memory.
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

#define BM 128
#define BN 256
#define BK 32
#define STAGES 5
#define WM 64
#define WN 64
#define GROUP 8
#define THREADS (BM / WM * (BN / WN) * 32)
#define TILES_M (WM / 16)  // products down and across a warp's tile
#define TILES_N (WN / 8)
#define CHUNK 8  // halves in 16 bytes, which is what one copy takes
#define A_CHUNKS (BK / CHUNK)
#define B_CHUNKS (BN / CHUNK)
#define A_STEP (THREADS / A_CHUNKS)  // rows from one copy of a thread to its next
#define B_STEP (THREADS / B_CHUNKS)
#define A_BYTES (BM * BK * 2)
#define STAGE_BYTES (A_BYTES + BK * BN * 2)

// Where chunk number `chunk` of a row lies in that row. Rows of As are short: two of them share the 128 bytes in which
// every bank comes once, so the row's number is halved before it moves anything.
__device__ __forceinline__ int a_chunk(int row, int chunk)
{
    return A_CHUNKS >= 8 ? chunk ^ row % 8 : chunk ^ row / (8 / A_CHUNKS) % A_CHUNKS;
}

__device__ __forceinline__ int b_chunk(int row, int chunk)
{
    return chunk ^ row % 8;
}

__device__ __forceinline__ void load_a(unsigned (&to)[4], unsigned from)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(from)
                 : "memory");
}

// Two neighbours of B: 16 rows and twice 8 columns.
__device__ __forceinline__ void load_b(unsigned (&left)[2], unsigned (&right)[2], unsigned from)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(left[0]), "=r"(left[1]), "=r"(right[0]), "=r"(right[1])
                 : "r"(from)
                 : "memory");
}

__device__ __forceinline__ void mma(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2])
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// WIDE: all rows of A and B begin at multiples of 16 bytes, and those of C at multiples of 8.
template <bool WIDE>
__device__ __forceinline__ void multiply(char* shared, const __half* A, const __half* B, float* C, int M, int N, int K)
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
    char* const b_to = shared + A_BYTES + (b_row * B_CHUNKS + b_chunk(b_row, tid % B_CHUNKS)) * 16;
    const __half* a_from = A + size_t(row0 + a_row) * K + a_k;
    const __half* b_from = B + size_t(b_row) * N + col0 + b_col;
    const size_t a_step = size_t(A_STEP) * K;
    const size_t b_step = size_t(B_STEP) * N;
    const int a_left = M - row0 - a_row;
    const int b_left = N - col0 - b_col;
    int k_left = K;

    // One chunk, of which the first `count` halves exist.
    auto copy = [&](char* to, const __half* from, int count) {
        if (WIDE) {
            __pipeline_memcpy_async(to, from, 16, count > 0 ? 0 : 16);
        } else {
            for (int e = 0; e < CHUNK; ++e) {
                reinterpret_cast<__half*>(to)[e] = e < count ? from[e] : __half(0.0f);
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
            copy(b_to + offset + i * THREADS * 16, b_from + i * b_step, b_row + i * B_STEP < k_left ? b_left : 0);
        }
        __pipeline_commit();
        a_from += BK;
        b_from += size_t(BK) * N;
        k_left -= BK;
    };

    float acc[TILES_M][TILES_N][4] = {};  // the running sums, two neighbours of C in two rows
    unsigned a[2][TILES_M][4];            // two sets of fragments
    unsigned b[2][TILES_N][2];
    const unsigned base = __cvta_generic_to_shared(shared);
    auto read_fragments = [&](int stage, int k, int set) {
        const unsigned As = base + stage * STAGE_BYTES;
        const unsigned Bs = As + A_BYTES;
#pragma unroll
        for (int i = 0; i < TILES_M; ++i) {
            const int row = warp_row + i * 16 + lane % 16;
            load_a(a[set][i], As + (row * A_CHUNKS + a_chunk(row, 2 * k + lane / 16)) * 16);
        }
#pragma unroll
        for (int j = 0; j < TILES_N; j += 2) {
            const int row = 16 * k + lane % 16;
            const int chunk = (warp_col + j * 8) / CHUNK + lane / 16;
            load_b(b[set][j], b[set][j + 1], Bs + (row * B_CHUNKS + b_chunk(row, chunk)) * 16);
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
#pragma unroll
        for (int k = 0; k < BK / 16; ++k) {
            // Read after write: the next fragments are those of the next tiles, which must have arrived for all.
            // Write after read: the next turn overwrites this stage, which all have read by now.
            if (k == BK / 16 - 1) {
                __pipeline_wait_prior(STAGES - 2);
                __syncthreads();
                stage = stage == STAGES - 1 ? 0 : stage + 1;
            }
            read_fragments(stage, (k + 1) % (BK / 16), (k + 1) % 2);
            if (k == 0) {
                start_copies(filled);
                filled = filled == STAGES - 1 ? 0 : filled + 1;
            }
#pragma unroll
            for (int i = 0; i < TILES_M; ++i) {
#pragma unroll
                for (int n = 0; n < TILES_N; ++n) {
                    const int j = i % 2 ? TILES_N - 1 - n : n;  // neighbouring products share a fragment
                    mma(acc[i][j], a[k % 2][i], b[k % 2][j]);
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
gemm(const __half* A, const __half* B, float* C, int M, int N, int K)
{
    extern __shared__ __align__(128) char shared[];
    const size_t starts = reinterpret_cast<size_t>(A) | reinterpret_cast<size_t>(B);
    if (N % CHUNK == 0 && K % CHUNK == 0 && starts % 16 == 0 && reinterpret_cast<size_t>(C) % 8 == 0) {
        multiply<true>(shared, A, B, C, M, N, K);
    } else {
        multiply<false>(shared, A, B, C, M, N, K);
    }
}
