// The other way to overlap: C = A·B, tile by tile. A is M×K, B is K×N, C is M×N, all row-major float32.
// A block computes one BM×BN tile of C, in steps of BK along K. A thread computes TM×TN elements of it,
// in pieces of 4×4 that are spread over the tile: so neighbouring threads read neighbouring float4s of As and Bs.
// It is lesson 08's kernel without asynchronous copies: the next tiles wait in registers.
// Launch: (BN/TN)×(BM/TM) threads a block, one block a tile of C. Each matrix has fewer than 2^31 elements.
#define BM 64
#define BN 128
#define BK 16
#define TM 8
#define TN 8
#define PAD 4
#define BLOCKS_A_SM 1
#define THREADS ((BN / TN) * (BM / TM))

// Four neighbours of one row of X, which has rows × cols elements, from (r, c) on. 0 where X has none.
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

// Stores four neighbours of one row of X, as load4 reads them. Those outside X are not stored.
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

// Copies four neighbours from shared memory to registers, by one access.
__device__ void read4(const float* from, float* to)
{
    const float4 v = *reinterpret_cast<const float4*>(from);
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
    to[3] = v.w;
}

// Whether every row of X begins at a multiple of 16 bytes. X has cols columns.
__device__ bool rows_aligned(const float* X, int cols)
{
    return reinterpret_cast<size_t>(X) % 16 == 0 && cols % 4 == 0;
}

// Two promises to the compiler: a block never has more than THREADS threads, and BLOCKS_A_SM of them must fit on an SM.
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS_A_SM)
gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    // Shared memory: one copy a block, seen by all its threads, much nearer than global memory.
    // Two buffers: one is multiplied while the other is filled.
    // As is stored transposed: so a thread's TM elements of one k are neighbours, as its TN elements of Bs are.
    __shared__ __align__(16) float As[2][BK][BM + PAD];
    __shared__ __align__(16) float Bs[2][BK][BN];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int tid = ty * (BN / TN) + tx;  // the threads of the block, counted from 0
    const int row0 = blockIdx.y * BM;     // where the block's tile begins in C
    const int col0 = blockIdx.x * BN;
    const int row = row0 + ty * 4;  // where the thread's first piece begins in C. The next one lies beyond those of
    const int col = col0 + tx * 4;  // all other threads: 4·(BM/TM) rows further down, 4·(BN/TN) columns to the right

    // Where the thread's first copies lie in the tiles, and how many rows it is from one to the next.
    const int a_row = tid / (BK / 4), a_col = tid % (BK / 4) * 4, a_band = THREADS / (BK / 4);
    const int b_row = tid / (BN / 4), b_col = tid % (BN / 4) * 4, b_band = THREADS / (BN / 4);
    static_assert(BM % a_band == 0 && BK % b_band == 0, "the bands that the block copies must fill both tiles");
    const bool wide_A = rows_aligned(A, K);
    const bool wide_B = rows_aligned(B, N);
    const bool wide_C = rows_aligned(C, N);

    float acc[TM][TN] = {};  // the running sums, one an element of C, kept in registers

    // The next tiles wait in registers, read as float4s, until the buffer for them is free.
    float4 next_a[BM / a_band];
    float4 next_b[BK / b_band];
    auto fetch = [&](int k0) {
        for (int i = 0; i < BM; i += a_band) {
            next_a[i / a_band] = load4(A, M, K, row0 + a_row + i, k0 + a_col, wide_A);
        }
        for (int i = 0; i < BK; i += b_band) {
            next_b[i / b_band] = load4(B, K, N, k0 + b_row + i, col0 + b_col, wide_B);
        }
    };
    auto put = [&](int buf) {
        for (int i = 0; i < BM; i += a_band) {
            const float4 v = next_a[i / a_band];
            As[buf][a_col + 0][a_row + i] = v.x;
            As[buf][a_col + 1][a_row + i] = v.y;
            As[buf][a_col + 2][a_row + i] = v.z;
            As[buf][a_col + 3][a_row + i] = v.w;
        }
        for (int i = 0; i < BK; i += b_band) {
            *reinterpret_cast<float4*>(&Bs[buf][b_row + i][b_col]) = next_b[i / b_band];
        }
    };

    // Walk along K, across a strip of A and down a strip of B, one pair of tiles at a time.
    int buf = 0;  // the buffer to multiply
    fetch(0);
    put(buf);
    __syncthreads();
    for (int k0 = 0; k0 < K; k0 += BK) {
        // The loads start here, and are waited for after the multiply-adds.
        fetch(k0 + BK);

        // Unrolled by eight, so that the reads of one k go on while the products of another are added.
#pragma unroll 8
        for (int k = 0; k < BK; ++k) {
            float a[TM];
            float b[TN];
            for (int m = 0; m < TM; m += 4) {
                read4(&As[buf][k][ty * 4 + m * (BM / TM)], &a[m]);
            }
            for (int n = 0; n < TN; n += 4) {
                read4(&Bs[buf][k][tx * 4 + n * (BN / TN)], &b[n]);
            }
            for (int m = 0; m < TM; ++m) {
                for (int n = 0; n < TN; ++n) {
                    acc[m][n] += a[m] * b[n];
                }
            }
        }

        // Write after read: the other buffer was multiplied in the turn before, and all have passed that barrier.
        // Read after write: the next turn multiplies what is put there now.
        buf = 1 - buf;
        put(buf);
        __syncthreads();
    }

    // The last tiles may hang over the edge of C. Sums out there are not stored.
    for (int m = 0; m < TM; ++m) {
        for (int n = 0; n < TN; n += 4) {
            store4(C, M, N, row + m / 4 * 4 * (BM / TM) + m % 4, col + n * (BN / TN), &acc[m][n], wide_C);
        }
    }
}
