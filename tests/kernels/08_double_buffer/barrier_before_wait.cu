// expect: race
// says: asynchronous copy; must come after that wait
// The barrier comes first: then nobody knows whether the copies of the others have arrived.
#include <cuda_pipeline.h>

#define BM 64
#define BN 64
#define BK 16
#define TM 4
#define TN 4
#define PAD 4
#define THREADS ((BN / TN) * (BM / TM))

__device__ void copy1(float* to, const float* X, int rows, int cols, int r, int c)
{
    const bool inside = r < rows && c < cols;
    __pipeline_memcpy_async(to, inside ? X + r * cols + c : X, 4, inside ? 0 : 4);
}

__device__ void copy4(float* to, const float* X, int rows, int cols, int r, int c, bool aligned)
{
    if (aligned) {
        const bool inside = r < rows && c < cols;
        __pipeline_memcpy_async(to, inside ? X + r * cols + c : X, 16, inside ? 0 : 16);
    } else {
        for (int j = 0; j < 4; ++j) {
            copy1(to + j, X, rows, cols, r, c + j);
        }
    }
}

__device__ void store4(float* X, int rows, int cols, int r, int c, const float* v, bool aligned)
{
    if (r < rows && c < cols) {
        float* to = X + r * cols + c;
        if (aligned) {
            *reinterpret_cast<float4*>(to) = make_float4(v[0], v[1], v[2], v[3]);
        } else {
            for (int j = 0; j < 4; ++j) {
                if (c + j < cols) to[j] = v[j];
            }
        }
    }
}

__device__ void read4(const float* from, float* to)
{
    const float4 v = *reinterpret_cast<const float4*>(from);
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
    to[3] = v.w;
}

__device__ bool rows_aligned(const float* X, int cols)
{
    return reinterpret_cast<size_t>(X) % 16 == 0 && cols % 4 == 0;
}

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ __align__(16) float As[2][BK][BM + PAD];
    __shared__ __align__(16) float Bs[2][BK][BN];
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int tid = ty * (BN / TN) + tx;
    const int row0 = blockIdx.y * BM;
    const int col0 = blockIdx.x * BN;
    const int row = row0 + ty * TM;
    const int col = col0 + tx * TN;
    const bool wide_B = rows_aligned(B, N);
    const bool wide_C = rows_aligned(C, N);
    float acc[TM][TN] = {};
    auto start_copies = [&](int buf, int k0) {
        for (int i = tid; i < BM * BK; i += THREADS) {
            const int r = i / BK;
            const int c = i % BK;
            copy1(&As[buf][c][r], A, M, K, row0 + r, k0 + c);
        }
        for (int i = 4 * tid; i < BK * BN; i += 4 * THREADS) {
            const int r = i / BN;
            const int c = i % BN;
            copy4(&Bs[buf][r][c], B, K, N, k0 + r, col0 + c, wide_B);
        }
        __pipeline_commit();
    };
    int buf = 0;
    start_copies(buf, 0);
    for (int k0 = 0; k0 < K; k0 += BK) {
        __syncthreads();
        __pipeline_wait_prior(0);
        if (k0 + BK < K) {
            start_copies(1 - buf, k0 + BK);
        }
        for (int k = 0; k < BK; ++k) {
            float a[TM];
            float b[TN];
            for (int m = 0; m < TM; m += 4) {
                read4(&As[buf][k][ty * TM + m], &a[m]);
            }
            for (int n = 0; n < TN; n += 4) {
                read4(&Bs[buf][k][tx * TN + n], &b[n]);
            }
            for (int m = 0; m < TM; ++m) {
                for (int n = 0; n < TN; ++n) {
                    acc[m][n] += a[m] * b[n];
                }
            }
        }
        buf = 1 - buf;
    }
    for (int m = 0; m < TM; ++m) {
        for (int n = 0; n < TN; n += 4) {
            store4(C, M, N, row + m, col + n, &acc[m][n], wide_C);
        }
    }
}
