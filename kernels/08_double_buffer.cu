// Lesson 08: C = A·B, tile by tile. A is M×K, B is K×N, C is M×N, all row-major float32.
// A block computes one BM×BN tile of C, in steps of BK along K. A thread computes TM×TN elements of it,
// in pieces of 4×4 that are spread over the tile: so neighbouring threads read neighbouring float4s of As and Bs.
// Launch: (BN/TN)×(BM/TM) threads a block, one block a tile of C. Each matrix has fewer than 2^31 elements.
#include <cuda_pipeline.h>

#define BM 128
#define BN 128
#define BK 8
#define TM 8
#define TN 8
#define PAD 4
#define BLOCKS_A_SM 2
#define THREADS ((BN / TN) * (BM / TM))

// Starts to copy one float to shared memory, or puts a 0 there where it lies outside its matrix. The copy goes on by
// itself, and the thread does not wait for it.
__device__ void copy1(float* to, const float* from, bool inside)
{
    __pipeline_memcpy_async(to, from, 4, inside ? 0 : 4);
}

// The same for four neighbours of one row, of which `left` lie inside the matrix.
__device__ void copy4(float* to, const float* from, int left, bool aligned)
{
    if (aligned) {
        // TODO wide: one copy of all four, or of no byte and 16 bytes of zeros
        ______;
    } else {
        for (int j = 0; j < 4; ++j) {
            copy1(to + j, from + j, j < left);
        }
    }
}

// Stores four neighbours of one row of X, from (r, c) on. Those outside X are not stored.
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
    const int a_row = tid / BK, a_col = tid % BK, a_band = THREADS / BK;
    const int b_row = tid / (BN / 4), b_col = tid % (BN / 4) * 4, b_band = THREADS / (BN / 4);
    static_assert(BM % a_band == 0 && BK % b_band == 0, "the bands that the block copies must fill both tiles");
    const float* const a_from = A + (row0 + a_row) * K + a_col;  // and in the matrices, at k0 = 0
    const float* const b_from = B + b_row * N + (col0 + b_col);
    const bool wide_B = rows_aligned(B, N);
    const bool wide_C = rows_aligned(C, N);

    float acc[TM][TN] = {};  // the running sums, one an element of C, kept in registers

    // Starts to copy the tiles that begin at k0 into one buffer. All threads of the block take part.
    auto start_copies = [&](int buf, int k0) {
        // A tile has more elements than the block has threads: a thread copies several of one column,
        // the block a band of rows at a time. Outside the matrix put 0, because 0 adds nothing to any sum.
        // No thread may return here, because all threads of the block must reach the barrier.
        for (int i = 0; i < BM; i += a_band) {
            const bool inside = row0 + a_row + i < M && k0 + a_col < K;
            copy1(&As[buf][a_col][a_row + i], a_from + i * K + k0, inside);
        }
        for (int i = 0; i < BK; i += b_band) {
            const int left = k0 + b_row + i < K ? N - col0 - b_col : 0;
            copy4(&Bs[buf][b_row + i][b_col], b_from + (k0 + i) * N, left, wide_B);
        }
        __pipeline_commit();
    };

    // Walk along K, across a strip of A and down a strip of B, one pair of tiles at a time.
    int buf = 0;  // the buffer to multiply
    start_copies(buf, 0);
    for (int k0 = 0; k0 < K; k0 += BK) {
        // Read after write: the loop below reads what this thread and others copied into this buffer.
        // Write after read: the next copies overwrite the other buffer, which all have read by now.
        // TODO arrive: wait for this thread's copies, then for all threads
        ______;

        // TODO next: start the copies of the next pair of tiles, if there is one, into the other buffer
        ______;

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

        // TODO swap: the next turn multiplies the other buffer
        buf = ______;
    }

    // The last tiles may hang over the edge of C. Sums out there are not stored.
    for (int m = 0; m < TM; ++m) {
        for (int n = 0; n < TN; n += 4) {
            store4(C, M, N, row + m / 4 * 4 * (BM / TM) + m % 4, col + n * (BN / TN), &acc[m][n], wide_C);
        }
    }
}
