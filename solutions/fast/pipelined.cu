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
#define WARPS_X (BN / (LANES_X * TN))

#define K_LANES 8
#define A_STEP (THREADS / K_LANES)
#define A_ROWS (BM / A_STEP)
#define B_WIDE (BN / 4)
#define B_STEP (THREADS / B_WIDE)

#if STAGES * BK * (BM + PAD + BN) * 4 > 48 * 1024
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

template <bool WIDE>
__device__ __forceinline__ void multiply(float (*As)[BK][BM + PAD], float (*Bs)[BK][BN], const float* A, const float* B, float* C, int M, int N, int K)
{
    const int tid = threadIdx.x;
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
        a_from[i] = A + min(row0 + a_row + i * A_STEP, M - 1) * K + a_k;
    }
    const int b_wide = WIDE ? 4 : 1;
    const int b_lanes = BN / b_wide;
    const int b_step = THREADS >= b_lanes ? THREADS / b_lanes : 1;
    const int b_cols = THREADS >= b_lanes ? 1 : b_lanes / THREADS;
    const int b_col = THREADS >= b_lanes ? tid % b_lanes * b_wide : tid * b_wide;
    const int b_k = THREADS >= b_lanes ? tid / b_lanes : 0;
    const float* b_from[b_cols];
    for (int j = 0; j < b_cols; ++j) {
        b_from[j] = B + b_k * N + min(col0 + b_col + j * THREADS * b_wide, N - b_wide);
    }

    auto start_copies = [&](int stage, int k0) {
        for (int k = 0; k < BK; k += K_LANES) {
            const int fill = k0 + k + a_k < K ? 0 : 4;
            for (int i = 0; i < A_ROWS; ++i) {
                __pipeline_memcpy_async(&As[stage][k + a_k][a_row + i * A_STEP], a_from[i] + k, 4, fill);
            }
        }
        for (int i = 0; i < A_ROWS; ++i) {
            a_from[i] += BK;
        }
        for (int j = 0; j < b_cols; ++j) {
            for (int k = 0; k < BK; k += b_step) {
                const int fill = k0 + k + b_k < K ? 0 : 4 * b_wide;
                __pipeline_memcpy_async(&Bs[stage][k + b_k][b_col + j * THREADS * b_wide], b_from[j] + k * N, 4 * b_wide, fill);
            }
            b_from[j] += BK * N;
        }
        __pipeline_commit();
    };

    float acc[TM][TN] = {};
    float a[2][TM];
    float b[2][TN];
    auto read_fragments = [&](int stage, int k, int to) {
        for (int m = 0; m < TM; m += 4) {
            read4(&As[stage][k][ty + m * LANES_Y], &a[to][m]);
        }
        for (int n = 0; n < TN; n += 4) {
            read4(&Bs[stage][k][tx + n * LANES_X], &b[to][n]);
        }
    };

    for (int stage = 0; stage < STAGES - 1; ++stage) {
        start_copies(stage, stage * BK);
    }
    __pipeline_wait_prior(STAGES - 2);
    __syncthreads();
    read_fragments(0, 0, 0);
    int stage = 0;
    int filled = STAGES - 1;
    for (int k0 = 0; k0 < K; k0 += BK) {
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            if (k == BK - 1) {
                __pipeline_wait_prior(STAGES - 2);
                __syncthreads();
                stage = stage == STAGES - 1 ? 0 : stage + 1;
            }
            read_fragments(stage, (k + 1) % BK, (k + 1) % 2);
            if (k == 0) {
                start_copies(filled, k0 + (STAGES - 1) * BK);
                filled = filled == STAGES - 1 ? 0 : filled + 1;
            }
            for (int m = 0; m < TM; ++m) {
                for (int n = 0; n < TN; ++n) {
                    acc[m][n] += a[k % 2][m] * b[k % 2][n];
                }
            }
        }
    }

    __pipeline_wait_prior(0);

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

extern "C" __global__ void __launch_bounds__(THREADS)
gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
#ifdef DYNAMIC
    extern __shared__ __align__(16) float pool[];
    typedef float ATile[BK][BM + PAD];
    typedef float BTile[BK][BN];
    ATile* As = reinterpret_cast<ATile*>(pool);
    BTile* Bs = reinterpret_cast<BTile*>(pool + STAGES * BK * (BM + PAD));
#else
    __shared__ __align__(16) float As[STAGES][BK][BM + PAD];
    __shared__ __align__(16) float Bs[STAGES][BK][BN];
#endif
    const bool wide = N % 4 == 0 && (reinterpret_cast<size_t>(B) | reinterpret_cast<size_t>(C)) % 16 == 0;
    if (wide) {
        multiply<true>(As, Bs, A, B, C, M, N, K);
    } else {
        multiply<false>(As, Bs, A, B, C, M, N, K);
    }
}
