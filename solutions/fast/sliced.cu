// Beyond the ladder: C = A·B for matrices with few tiles. A is M×K, B is K×N, C is M×N, all row-major float32.
// It is built like pipelined.cu, with one idea more. Where C has hardly more tiles than the GPU has SMs, an SM gets few warps, and
// nothing hides what they wait for. So SLICES groups of threads share one tile: each multiplies every SLICES-th tile of
// K, with buffers and a barrier of its own, and in the end their sums are added in shared memory.
// Launch: SLICES·(BM/TM)·(BN/TN) threads a block, in one dimension; one block a tile of C. Each matrix has fewer than
// 2^31 elements.
#include <cuda_pipeline.h>

#define BM 64
#define BN 128
#define BK 8
#define TM 8
#define TN 8
#define STAGES 3
#define SLICES 2
#define PAD 4
#define LANES_X 8
#define LANES_Y 4
#define THREADS (BM / TM * (BN / TN))  // of one slice
#define WARPS_X (BN / (LANES_X * TN))  // warp tiles side by side in the block's tile

// A is copied float by float, because it is stored transposed. Eight lanes take eight k of one row, a sector of 32
// bytes; with the four rows of a warp and PAD 4, they write to 32 different banks.
#define A_LANES 8
#define A_STEP (THREADS / A_LANES)  // rows from one copy of a thread to its next
#define A_COPIES (BM / A_STEP)

// A barrier for the threads of one slice. Barrier 0 is that of __syncthreads().
__device__ __forceinline__ void slice_barrier(int slice)
{
    asm volatile("bar.sync %0, %1;" : : "r"(slice + 1), "n"(THREADS) : "memory");
}

// Copies four neighbours from shared memory to registers, by one access.
__device__ __forceinline__ void read4(const float* from, float* to)
{
    const float4 v = *reinterpret_cast<const float4*>(from);
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
    to[3] = v.w;
}

// WIDE: the rows of B and C begin at multiples of 16 bytes. EDGE: the block's tile hangs over the edge of C.
template <bool WIDE, bool EDGE>
__device__ __forceinline__ void multiply(float (*sums)[THREADS], float (*As)[BK][BM + PAD], float (*Bs)[BK][BN],
                                         const float* A, const float* B, float* C, int M, int N, int K)
{
    const int slice = threadIdx.x / THREADS;
    const int tid = threadIdx.x % THREADS;
    As += slice * STAGES;
    Bs += slice * STAGES;
    const int warp = tid / 32;
    const int lane = tid % 32;
    const int lane_x = lane / 2 % LANES_X;  // as in lesson 09
    const int lane_y = lane / (2 * LANES_X) * 2 + lane % 2;
    const int row0 = blockIdx.y * BM;  // where the block's tile begins in C
    const int col0 = blockIdx.x * BN;
    const int ty = warp / WARPS_X * LANES_Y * TM + 4 * lane_y;  // the thread's first row and column in that tile
    const int tx = warp % WARPS_X * LANES_X * TN + 4 * lane_x;

    // Where this thread's copies come from. Rows and columns outside are filled with zeros; their addresses are those
    // of the last row or column, and are not read.
    const int a_k = tid % A_LANES;
    const int a_row = tid / A_LANES;
    const int a_left = M - row0 - a_row;
    const float* a_from[A_COPIES];
    for (int i = 0; i < A_COPIES; ++i) {
        const int row = row0 + a_row + i * A_STEP;
        a_from[i] = A + (EDGE ? min(row, M - 1) : row) * K + slice * BK + a_k;
    }
    const int width = WIDE ? 4 : 1;  // floats a copy of B
    const int b_lanes = WIDE ? BN / 4 : 32;
    const int b_rows = THREADS / b_lanes;
    const int b_copies = BN / (b_lanes * width);
    const int b_k = tid / b_lanes;
    const int b_col = tid % b_lanes * width;
    const int b_left = N - col0 - b_col;
    const float* b_from[b_copies];
    for (int j = 0; j < b_copies; ++j) {
        const int col = col0 + b_col + j * b_lanes * width;
        b_from[j] = B + (slice * BK + b_k) * N + (EDGE ? min(col, N - width) : col);
    }

    auto copy_tiles = [&](int stage, int k0, bool whole) {
        for (int i = 0; i < A_COPIES; ++i) {
            const bool inside = (whole || k0 + a_k < K) && (!EDGE || i * A_STEP < a_left);
            __pipeline_memcpy_async(&As[stage][a_k][a_row + i * A_STEP], a_from[i], 4, inside ? 0 : 4);
        }
        for (int k = 0; k < BK; k += b_rows) {
            for (int j = 0; j < b_copies; ++j) {
                const bool inside = (whole || k0 + k + b_k < K) && (!EDGE || j * b_lanes * width < b_left);
                float* to = &Bs[stage][k + b_k][b_col + j * b_lanes * width];
                __pipeline_memcpy_async(to, b_from[j] + k * N, 4 * width, inside ? 0 : 4 * width);
            }
        }
    };
    // Starts to copy the slice's next tiles, which begin at k0, into one stage. All threads of the slice take part.
    // Most tiles lie inside A and B, and then no copy needs a question.
    auto start_copies = [&](int stage, int k0) {
        if (k0 + BK <= K) {
            copy_tiles(stage, k0, true);
        } else {
            copy_tiles(stage, k0, false);
        }
        __pipeline_commit();
        for (int i = 0; i < A_COPIES; ++i) {
            a_from[i] += SLICES * BK;
        }
        for (int j = 0; j < b_copies; ++j) {
            b_from[j] += SLICES * BK * N;
        }
    };

    float acc[TM][TN] = {};  // the running sums, one an element of C, kept in registers
    float a[2][TM];          // two sets of fragments
    float b[2][TN];
    auto read_fragments = [&](int stage, int k, int set) {
        for (int m = 0; m < TM; m += 4) {
            read4(&As[stage][k][ty + m * LANES_Y], &a[set][m]);
        }
        for (int n = 0; n < TN; n += 4) {
            read4(&Bs[stage][k][tx + n * LANES_X], &b[set][n]);
        }
    };

    // Tiles beyond K are all zeros, so that every turn of the loop is like the others.
    for (int stage = 0; stage < STAGES - 1; ++stage) {
        start_copies(stage, (stage * SLICES + slice) * BK);
    }
    __pipeline_wait_prior(STAGES - 2);
    slice_barrier(slice);
    read_fragments(0, 0, 0);
    int stage = 0;            // the stage that is multiplied
    int filled = STAGES - 1;  // the stage that is filled
    for (int k0 = 0; k0 < K; k0 += SLICES * BK) {
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            // Read after write: the next fragments are those of the next tiles, which must have arrived for all.
            // Write after read: the next turn overwrites this stage, which all have read by now.
            if (k == BK - 1) {
                __pipeline_wait_prior(STAGES - 2);
                slice_barrier(slice);
                stage = stage == STAGES - 1 ? 0 : stage + 1;
            }
            read_fragments(stage, (k + 1) % BK, (k + 1) % 2);
            if (k == 0) {
                start_copies(filled, k0 + ((STAGES - 1) * SLICES + slice) * BK);
                filled = filled == STAGES - 1 ? 0 : filled + 1;
            }
            // Every other row from right to left: the fragment that a row ends with is the first of the next.
            for (int m = 0; m < TM; ++m) {
                for (int j = 0; j < TN; ++j) {
                    const int n = m % 2 ? TN - 1 - j : j;
                    acc[m][n] += a[k % 2][m] * b[k % 2][n];
                }
            }
        }
    }
    __pipeline_wait_prior(0);  // no copy may be under way when its buffer is used for sums

    // The first slice adds the sums of the others, which they leave where the tiles were.
    __syncthreads();
    for (int i = 0; slice > 0 && i < TM * TN; ++i) {
        sums[(slice - 1) * TM * TN + i][tid] = acc[i / TN][i % TN];
    }
    __syncthreads();
    if (slice > 0) {
        return;
    }
    for (int i = 0; i < (SLICES - 1) * TM * TN; ++i) {
        acc[i % (TM * TN) / TN][i % TN] += sums[i][tid];
    }

    for (int m = 0; m < TM; ++m) {
        const int row = row0 + ty + m / 4 * 4 * LANES_Y + m % 4;
        for (int n = 0; n < TN; n += 4) {
            const int col = col0 + tx + n * LANES_X;
            float* to = C + row * N + col;
            if (WIDE) {
                if (!EDGE || (row < M && col < N)) {
                    *reinterpret_cast<float4*>(to) =
                        make_float4(acc[m][n], acc[m][n + 1], acc[m][n + 2], acc[m][n + 3]);
                }
            } else {
                for (int j = 0; j < 4; ++j) {
                    if (!EDGE || (row < M && col + j < N)) {
                        to[j] = acc[m][n + j];
                    }
                }
            }
        }
    }
}

extern "C" __global__ void __launch_bounds__(SLICES * THREADS)
gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    // First the stages of all slices, then the sums of all slices but one.
    __shared__ __align__(16) float pool[SLICES * STAGES * BK * (BM + PAD + BN)];
    static_assert(sizeof(pool) >= (SLICES - 1) * BM * BN * sizeof(float), "the sums need more room than the tiles");
    float(*As)[BK][BM + PAD] = reinterpret_cast<float(*)[BK][BM + PAD]>(pool);
    float(*Bs)[BK][BN] = reinterpret_cast<float(*)[BK][BN]>(As + SLICES * STAGES);
    float(*sums)[THREADS] = reinterpret_cast<float(*)[THREADS]>(pool);
    const bool wide = N % 4 == 0 && (reinterpret_cast<size_t>(B) | reinterpret_cast<size_t>(C)) % 16 == 0;
    const bool edge = (blockIdx.y + 1) * BM > M || (blockIdx.x + 1) * BN > N;
    if (wide && edge) {
        multiply<true, true>(sums, As, Bs, A, B, C, M, N, K);
    } else if (wide) {
        multiply<true, false>(sums, As, Bs, A, B, C, M, N, K);
    } else if (edge) {
        multiply<false, true>(sums, As, Bs, A, B, C, M, N, K);
    } else {
        multiply<false, false>(sums, As, Bs, A, B, C, M, N, K);
    }
}
