#include <cuda_pipeline.h>

#define BM 128
#define BN 256
#define BK 8
#define TM 16
#define TN 8
#define STAGES 3
#define SLICES 1
#define BLOCKS 1
#define PAD 4
#define LANES_X 8
#define LANES_Y 4
#define COPY_AT 0
#define ORDER 0
#define SPLIT 0
#define B_FIRST 0
#define STAGED 1
#define GROUP (BM / TM * (BN / TN))
#define THREADS (GROUP * SLICES)
#define WARPS_X (BN / (LANES_X * TN))

#define K_LANES 8
#define A_STEP (GROUP / K_LANES)
#define A_ROWS (BM / A_STEP)
#define POOL (SLICES * STAGES * BK * (BM + PAD + BN))

#if POOL * 4 > 48 * 1024
#define DYNAMIC
#endif

__device__ __forceinline__ void read4(const float* from, float* to)
{
    const float4 v = *reinterpret_cast<const float4*>(from);
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
    to[3] = v.w;
}

__device__ __forceinline__ void barrier(int slice)
{
#if SLICES == 1
    __syncthreads();
#else
    asm volatile("bar.sync %0, %1;" : : "r"(slice + 1), "n"(GROUP) : "memory");
#endif
}

template <bool WIDE>
__device__ __forceinline__ void multiply(float* pool, const float* A, const float* B, float* C, int M, int N, int K)
{
    const int slice = SLICES == 1 ? 0 : threadIdx.x / GROUP;
    const int tid = SLICES == 1 ? threadIdx.x : threadIdx.x % GROUP;
    typedef float ATile[BK][BM + PAD];
    typedef float BTile[BK][BN];
    ATile* As = reinterpret_cast<ATile*>(pool) + slice * STAGES;
    BTile* Bs = reinterpret_cast<BTile*>(pool + SLICES * STAGES * BK * (BM + PAD)) + slice * STAGES;

    const int warp = tid / 32;
    const int lane = tid % 32;
    const int lane_x = lane / 2 % LANES_X;
    const int lane_y = lane / (2 * LANES_X) * 2 + lane % 2;
    const int row0 = blockIdx.y * BM;
    const int col0 = blockIdx.x * BN;
    const int ty = warp / WARPS_X * LANES_Y * TM + 4 * lane_y;
    const int tx = warp % WARPS_X * LANES_X * TN + 4 * lane_x;

    const int a_k = tid % K_LANES;
    const int a_row = tid / K_LANES;
    const float* a_from[A_ROWS];
    for (int i = 0; i < A_ROWS; ++i) {
        a_from[i] = A + min(row0 + a_row + i * A_STEP, M - 1) * K + slice * BK + a_k;
    }
    const int b_wide = WIDE ? 4 : 1;
    const int b_lanes = WIDE ? (BN / 4 < GROUP ? BN / 4 : GROUP) : 32;
    const int b_step = GROUP / b_lanes;
    const int b_cols = BN / (b_lanes * b_wide);
    const int b_col = tid % b_lanes * b_wide;
    const int b_k = tid / b_lanes;
    const float* b_from[b_cols];
    for (int j = 0; j < b_cols; ++j) {
        b_from[j] = B + (slice * BK + b_k) * N + min(col0 + b_col + j * b_lanes * b_wide, N - b_wide);
    }

    auto copy_tiles = [&](int stage, int k0, bool full) {
        for (int k = 0; k < BK; k += K_LANES) {
            const int fill = full || k0 + k + a_k < K ? 0 : 4;
            for (int i = 0; i < A_ROWS; ++i) {
                __pipeline_memcpy_async(&As[stage][k + a_k][a_row + i * A_STEP], a_from[i] + k, 4, fill);
            }
        }
        for (int k = 0; k < BK; k += b_step) {
            if (b_step <= BK || b_k < BK) {
                const int fill = full || k0 + k + b_k < K ? 0 : 4 * b_wide;
                for (int j = 0; j < b_cols; ++j) {
                    float* to = &Bs[stage][k + b_k][b_col + j * b_lanes * b_wide];
                    __pipeline_memcpy_async(to, b_from[j] + k * N, 4 * b_wide, fill);
                }
            }
        }
    };
    auto start_copies = [&](int stage, int k0) {
        if (SPLIT && k0 + BK <= K) {
            copy_tiles(stage, k0, true);
        } else {
            copy_tiles(stage, k0, false);
        }
        __pipeline_commit();
        for (int i = 0; i < A_ROWS; ++i) {
            a_from[i] += SLICES * BK;
        }
        for (int j = 0; j < b_cols; ++j) {
            b_from[j] += SLICES * BK * N;
        }
    };

    float acc[TM][TN] = {};
    float a[2][TM];
    float b[2][TN];
    auto read_fragments = [&](int stage, int k, int to) {
#if B_FIRST
        for (int n = 0; n < TN; n += 4) {
            read4(&Bs[stage][k][tx + n * LANES_X], &b[to][n]);
        }
#endif
        for (int m = 0; m < TM; m += 4) {
            read4(&As[stage][k][ty + m * LANES_Y], &a[to][m]);
        }
#if !B_FIRST
        for (int n = 0; n < TN; n += 4) {
            read4(&Bs[stage][k][tx + n * LANES_X], &b[to][n]);
        }
#endif
    };

    for (int stage = 0; stage < STAGES - 1; ++stage) {
        start_copies(stage, (stage * SLICES + slice) * BK);
    }
    __pipeline_wait_prior(STAGES - 2);
    barrier(slice);
    read_fragments(0, 0, 0);
    int stage = 0;
    int filled = STAGES - 1;
    for (int k0 = 0; k0 < K; k0 += SLICES * BK) {
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            if (k == BK - 1) {
                __pipeline_wait_prior(STAGES - 2);
                barrier(slice);
                stage = stage == STAGES - 1 ? 0 : stage + 1;
            }
            read_fragments(stage, (k + 1) % BK, (k + 1) % 2);
            if (k == COPY_AT) {
                start_copies(filled, k0 + ((STAGES - 1) * SLICES + slice) * BK);
                filled = filled == STAGES - 1 ? 0 : filled + 1;
            }
#if ORDER == 0
            for (int m = 0; m < TM; ++m) {
                for (int n = 0; n < TN; ++n) {
                    acc[m][n] += a[k % 2][m] * b[k % 2][n];
                }
            }
#elif ORDER == 1
            for (int n = 0; n < TN; ++n) {
                for (int m = 0; m < TM; ++m) {
                    acc[m][n] += a[k % 2][m] * b[k % 2][n];
                }
            }
#else
            for (int m = 0; m < TM; ++m) {
                for (int j = 0; j < TN; ++j) {
                    const int n = m % 2 ? TN - 1 - j : j;
                    acc[m][n] += a[k % 2][m] * b[k % 2][n];
                }
            }
#endif
        }
    }
    __pipeline_wait_prior(0);

    const bool staged = !WIDE && STAGED && POOL >= BM * BN;
    float(*tile)[BN] = reinterpret_cast<float(*)[BN]>(pool);
    if (staged) {
        for (int s = SLICES - 1; s >= 0; --s) {
            __syncthreads();
            if (slice == s) {
                for (int m = 0; m < TM; ++m) {
                    for (int n = 0; n < TN; n += 4) {
                        float4* at = reinterpret_cast<float4*>(&tile[ty + m / 4 * 4 * LANES_Y + m % 4][tx + n * LANES_X]);
                        float4 sum = make_float4(acc[m][n], acc[m][n + 1], acc[m][n + 2], acc[m][n + 3]);
                        if (s < SLICES - 1) {
                            const float4 other = *at;
                            sum = make_float4(sum.x + other.x, sum.y + other.y, sum.z + other.z, sum.w + other.w);
                        }
                        *at = sum;
                    }
                }
            }
        }
        __syncthreads();
        for (int i = threadIdx.x; i < BM * BN; i += THREADS) {
            const int row = row0 + i / BN;
            const int col = col0 + i % BN;
            if (row < M && col < N) {
                C[row * N + col] = pool[i];
            }
        }
        return;
    }

#if SLICES > 1
    __syncthreads();
    if (slice > 0) {
        for (int m = 0; m < TM; ++m) {
            for (int n = 0; n < TN; ++n) {
                pool[((slice - 1) * TM * TN + m * TN + n) * GROUP + tid] = acc[m][n];
            }
        }
    }
    __syncthreads();
    if (slice > 0) {
        return;
    }
    for (int s = 0; s < SLICES - 1; ++s) {
        for (int m = 0; m < TM; ++m) {
            for (int n = 0; n < TN; ++n) {
                acc[m][n] += pool[(s * TM * TN + m * TN + n) * GROUP + tid];
            }
        }
    }
#endif

    for (int m = 0; m < TM; ++m) {
        const int row = row0 + ty + m / 4 * 4 * LANES_Y + m % 4;
        for (int n = 0; n < TN; n += 4) {
            const int col = col0 + tx + n * LANES_X;
            if (WIDE) {
                if (row < M && col < N) {
                    *reinterpret_cast<float4*>(C + row * N + col) = make_float4(acc[m][n], acc[m][n + 1], acc[m][n + 2], acc[m][n + 3]);
                }
            } else {
                for (int j = 0; j < 4; ++j) {
                    if (row < M && col + j < N) {
                        C[row * N + col + j] = acc[m][n + j];
                    }
                }
            }
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
#ifdef DYNAMIC
    extern __shared__ __align__(16) float pool[];
#else
    __shared__ __align__(16) float pool[POOL];
#endif
    const bool wide = N % 4 == 0 && (reinterpret_cast<size_t>(B) | reinterpret_cast<size_t>(C)) % 16 == 0;
    if (wide) {
        multiply<true>(pool, A, B, C, M, N, K);
    } else {
        multiply<false>(pool, A, B, C, M, N, K);
    }
}
