// Lesson 07: C = A·B, tile by tile. A is M×K, B is K×N, C is M×N, all row-major float32.
// A block computes one BM×BN tile of C, in steps of BK along K. A thread computes TM×TN elements of it, in one patch.
// Launch: (BN/TN)×(BM/TM) threads a block, one block a tile of C. Each matrix has fewer than 2^31 elements.
#define BM 64
#define BN 64
#define BK 16
#define TM 4
#define TN 4
// TODO pad: by how many floats each row of As is longer than its BM elements
// BEGIN SOLUTION pad: #define PAD ______
#define PAD 4
// END SOLUTION
#define THREADS ((BN / TN) * (BM / TM))

// Four neighbours of one row of X, which has rows × cols elements, from (r, c) on. 0 where X has none.
__device__ float4 load4(const float* X, int rows, int cols, int r, int c, bool aligned)
{
    float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (r < rows && c < cols) {
        const float* from = X + r * cols + c;
        if (aligned) {
            // TODO wide: one access for all four
            // BEGIN SOLUTION wide
            v = *reinterpret_cast<const float4*>(from);
            // END SOLUTION
        } else {
            // TODO narrow: one access for each of the four that lies inside the row
            // BEGIN SOLUTION narrow
            v.x = from[0];
            if (c + 1 < cols) v.y = from[1];
            if (c + 2 < cols) v.z = from[2];
            if (c + 3 < cols) v.w = from[3];
            // END SOLUTION
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
    // BEGIN SOLUTION aligned: return ______;
    return reinterpret_cast<size_t>(X) % 16 == 0 && cols % 4 == 0;
    // END SOLUTION
}

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
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
    const int row = row0 + ty * TM;  // where the thread's elements begin in C
    const int col = col0 + tx * TN;

    const bool wide_A = rows_aligned(A, K);
    const bool wide_B = rows_aligned(B, N);
    const bool wide_C = rows_aligned(C, N);

    float acc[TM][TN] = {};  // the running sums, one an element of C, kept in registers

    // Walk along K, across a strip of A and down a strip of B, one pair of tiles at a time.
    for (int k0 = 0; k0 < K; k0 += BK) {
        // A tile has more elements than the block has threads: a thread copies several, THREADS
        // apart. Outside the matrix put 0, because 0 adds nothing to any sum. No thread may return
        // here, because all threads of the block must reach both barriers.
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

        // Read after write: the loop below reads what other threads copied.
        // Wait until all have copied.
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

        // Write after read: the next turn overwrites both tiles.
        // Wait until all have read them.
        __syncthreads();
    }

    // The last tiles may hang over the edge of C. Sums out there are not stored.
    for (int m = 0; m < TM; ++m) {
        for (int n = 0; n < TN; n += 4) {
            store4(C, M, N, row + m, col + n, &acc[m][n], wide_C);
        }
    }
}
