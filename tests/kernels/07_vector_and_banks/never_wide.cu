// expect: counter
// says: not read four floats at a time; 0.03125 reads of global memory
// One element at a time everywhere, so that the wide path is never taken.
#define BM 64
#define BN 64
#define BK 16
#define TM 4
#define TN 4
#define PAD 4
#define THREADS ((BN / TN) * (BM / TM))

__device__ float4 load4(const float* X, int rows, int cols, int r, int c, bool aligned)
{
    float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (r < rows && c < cols) {
        const float* from = X + r * cols + c;
        if (aligned) {
            v = *reinterpret_cast<const float4*>(from);
        } else {
            v.x = from[0];
            if (c + 1 < cols) v.y = from[1];
            if (c + 2 < cols) v.z = from[2];
            if (c + 3 < cols) v.w = from[3];
        }
    }
    return v;
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
    return false;
}

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ __align__(16) float As[BK][BM + PAD];
    __shared__ __align__(16) float Bs[BK][BN];
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int tid = ty * (BN / TN) + tx;
    const int row0 = blockIdx.y * BM;
    const int col0 = blockIdx.x * BN;
    const int row = row0 + ty * TM;
    const int col = col0 + tx * TN;
    const bool wide_A = rows_aligned(A, K);
    const bool wide_B = rows_aligned(B, N);
    const bool wide_C = rows_aligned(C, N);
    float acc[TM][TN] = {};
    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int i = 4 * tid; i < BM * BK; i += 4 * THREADS) {
            const int r = i / BK;
            const int c = i % BK;
            const float4 v = load4(A, M, K, row0 + r, k0 + c, wide_A);
            As[c + 0][r] = v.x;
            As[c + 1][r] = v.y;
            As[c + 2][r] = v.z;
            As[c + 3][r] = v.w;
        }
        for (int i = 4 * tid; i < BK * BN; i += 4 * THREADS) {
            const int r = i / BN;
            const int c = i % BN;
            *reinterpret_cast<float4*>(&Bs[r][c]) = load4(B, K, N, k0 + r, col0 + c, wide_B);
        }
        __syncthreads();
        for (int k = 0; k < BK; ++k) {
            float a[TM];
            float b[TN];
            for (int m = 0; m < TM; m += 4) {
                read4(&As[k][ty * TM + m], &a[m]);
            }
            for (int n = 0; n < TN; n += 4) {
                read4(&Bs[k][tx * TN + n], &b[n]);
            }
            for (int m = 0; m < TM; ++m) {
                for (int n = 0; n < TN; ++n) {
                    acc[m][n] += a[m] * b[n];
                }
            }
        }
        __syncthreads();
    }
    for (int m = 0; m < TM; ++m) {
        for (int n = 0; n < TN; n += 4) {
            store4(C, M, N, row + m, col + n, &acc[m][n], wide_C);
        }
    }
}
