// Beyond the ladder: C = A·B for large matrices. A is M×K, B is K×N, C is M×N, all row-major float32.
// It has the warp tiles of lesson 09 and the asynchronous copies of lesson 08, and beside them:
// - STAGES buffers instead of two, so that a copy has the time of STAGES - 1 tiles to arrive;
// - two sets of fragments: those of the next k are read while those of this k are multiplied, across the barrier too;
// - patches spread over the warp's tile, four rows and four columns at a time, so that reads have no bank conflicts;
// - addresses that are computed once and then only moved on;
// - code of its own for blocks at the edges of C and for the last tiles of K, so that all others ask nothing.
// Launch: (BM/TM)·(BN/TN) threads a block, in one dimension; one block a tile of C. Each matrix has fewer than 2^31
// elements.
#include <cuda_pipeline.h>

#define BM 128
#define BN 256
#define BK 8
#define TM 16
#define TN 8
#define STAGES 3
#define PAD 4
#define LANES_X 8
#define LANES_Y 4
#define THREADS (BM / TM * (BN / TN))
#define WARPS_X (BN / (LANES_X * TN))  // warp tiles side by side in the block's tile

// A is copied float by float, because it is stored transposed. Eight lanes take eight k of one row, a sector of 32
// bytes; with the four rows of a warp and PAD 4, they write to 32 different banks.
#define A_LANES 8
#define A_STEP (THREADS / A_LANES)  // rows from one copy of a thread to its next
#define A_COPIES (BM / A_STEP)

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
__device__ __forceinline__ void multiply(float (*As)[BK][BM + PAD], float (*Bs)[BK][BN],
                                         const float* A, const float* B, float* C, int M, int N, int K)
{
    const int tid = threadIdx.x;
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
        a_from[i] = A + (EDGE ? min(row, M - 1) : row) * K + a_k;
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
        b_from[j] = B + b_k * N + (EDGE ? min(col, N - width) : col);
    }

    // Starts to copy the next tiles, which begin at k0, into one stage; whole: they end before K does. All threads of
    // the block take part.
    auto start_copies = [&](int stage, int k0, bool whole) {
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
        __pipeline_commit();
        for (int i = 0; i < A_COPIES; ++i) {
            a_from[i] += BK;
        }
        for (int j = 0; j < b_copies; ++j) {
            b_from[j] += BK * N;
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
        start_copies(stage, stage * BK, false);
    }
    __pipeline_wait_prior(STAGES - 2);
    __syncthreads();
    read_fragments(0, 0, 0);
    int stage = 0;            // the stage that is multiplied
    int filled = STAGES - 1;  // the stage that is filled
    auto turn = [&](int k0, bool whole) {
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            // Read after write: the next fragments are those of the next tiles, which must have arrived for all.
            // Write after read: the next turn overwrites this stage, which all have read by now.
            if (k == BK - 1) {
                __pipeline_wait_prior(STAGES - 2);
                __syncthreads();
                stage = stage == STAGES - 1 ? 0 : stage + 1;
            }
            read_fragments(stage, (k + 1) % BK, (k + 1) % 2);
            if (k == 0) {
                start_copies(filled, k0 + (STAGES - 1) * BK, whole);
                filled = filled == STAGES - 1 ? 0 : filled + 1;
            }
            // Four columns at a time, every other row from right to left: so neighbouring products share a fragment,
            // which the GPU keeps at hand, and need not read three registers of one bank.
            for (int n4 = 0; n4 < TN; n4 += 4) {
                for (int m = 0; m < TM; ++m) {
                    for (int j = 0; j < 4; ++j) {
                        const int n = n4 + (m % 2 ? 3 - j : j);
                        acc[m][n] += a[k % 2][m] * b[k % 2][n];
                    }
                }
            }
        }
    };
    // As long as the tiles to copy end before K does, no copy needs a question.
    int k0 = 0;
    for (; k0 + STAGES * BK <= K; k0 += BK) {
        turn(k0, true);
    }
    for (; k0 < K; k0 += BK) {
        turn(k0, false);
    }
    __pipeline_wait_prior(0);  // no copy may be under way when the block ends

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

extern "C" __global__ void __launch_bounds__(THREADS)
gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ __align__(16) float As[STAGES][BK][BM + PAD];
    __shared__ __align__(16) float Bs[STAGES][BK][BN];
    const bool wide = N % 4 == 0 && (reinterpret_cast<size_t>(B) | reinterpret_cast<size_t>(C)) % 16 == 0;
    const bool edge = (blockIdx.y + 1) * BM > M || (blockIdx.x + 1) * BN > N;
    if (wide && edge) {
        multiply<true, true>(As, Bs, A, B, C, M, N, K);
    } else if (wide) {
        multiply<true, false>(As, Bs, A, B, C, M, N, K);
    } else if (edge) {
        multiply<false, true>(As, Bs, A, B, C, M, N, K);
    } else {
        multiply<false, false>(As, Bs, A, B, C, M, N, K);
    }
}
