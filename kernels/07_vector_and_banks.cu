// Lesson 07: C = A·B, tile by tile. A is M×K, B is K×N, C is M×N, all row-major float32.
// A block computes one BM×BN tile of C, in steps of BK along K. A thread computes TM×TN elements of it,
// in pieces of 4×4 that are spread over the tile: so neighbouring threads read neighbouring float4s of As and Bs.
// Launch: (BN/TN)×(BM/TM) threads a block, one block a tile of C. Each matrix has fewer than 2^31 elements.
#define BM 128
#define BN 64
#define BK 16
#define TM 8
#define TN 8
// TODO pad: by how many floats each row of As is longer than its BM elements
#define PAD ______
#define THREADS ((BN / TN) * (BM / TM))

// Four neighbours of one row of X, which has rows × cols elements, from (r, c) on. 0 where X has none.
__device__ float4 load4(const float* X, int rows, int cols, int r, int c, bool aligned)
{
    float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (r < rows && c < cols) {
        const float* from = X + r * cols + c;
        if (aligned) {
            // TODO wide: one access for all four
            ______;
        } else {
            // TODO narrow: one access for each of the four that lies inside the row
            ______;
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
    // TODO aligned: where the first row begins, and how long a row is, decide it
    return ______;
}

// A block never has more than THREADS threads. The compiler is told, and gives each as many registers as then fit.
extern "C" __global__ void __launch_bounds__(THREADS)
gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    // Shared memory: one copy a block, seen by all its threads, much nearer than global memory.
    // As is stored transposed: so a thread's TM elements of one k are neighbours, as its TN elements of Bs are.
    __shared__ __align__(16) float As[BK][BM + PAD];
    __shared__ __align__(16) float Bs[BK][BN];

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

    // Walk along K, across a strip of A and down a strip of B, one pair of tiles at a time.
    for (int k0 = 0; k0 < K; k0 += BK) {
        // A tile has more elements than the block has threads: a thread copies several float4s of one column, the
        // block a band of rows at a time. Outside the matrix put 0, because 0 adds nothing to any sum.
        // No thread may return here, because all threads of the block must reach both barriers.
        for (int i = 0; i < BM; i += a_band) {
            const int r = a_row + i;
            const float4 v = load4(A, M, K, row0 + r, k0 + a_col, wide_A);
            As[a_col + 0][r] = v.x;
            As[a_col + 1][r] = v.y;
            As[a_col + 2][r] = v.z;
            As[a_col + 3][r] = v.w;
        }
        for (int i = 0; i < BK; i += b_band) {
            const int r = b_row + i;
            *reinterpret_cast<float4*>(&Bs[r][b_col]) = load4(B, K, N, k0 + r, col0 + b_col, wide_B);
        }

        // Read after write: the loop below reads what other threads copied.
        // Wait until all have copied.
        __syncthreads();

        // Unrolled by eight, so that the reads of one k go on while the products of another are added.
#pragma unroll 8
        for (int k = 0; k < BK; ++k) {
            float a[TM];
            float b[TN];
            // TODO pieces: read the fragments, four floats at a time, each piece where the store puts it
            ______;
            for (int m = 0; m < TM; ++m) {
                for (int n = 0; n < TN; ++n) {
                    acc[m][n] += a[m] * b[n];
                }
            }
        }

        // Write after read: the next turn overwrites both tiles.
        // Wait until all have read them.
        __syncthreads();
    }

    // The last tiles may hang over the edge of C. Sums out there are not stored.
    for (int m = 0; m < TM; ++m) {
        for (int n = 0; n < TN; n += 4) {
            store4(C, M, N, row + m / 4 * 4 * (BM / TM) + m % 4, col + n * (BN / TN), &acc[m][n], wide_C);
        }
    }
}
