// Lesson 08: C = A·B, tile by tile. A is M×K, B is K×N, C is M×N, all row-major float32.
// A block computes one BM×BN tile of C, in steps of BK along K. A thread computes TM×TN elements of it, in one patch.
// Launch: (BN/TN)×(BM/TM) threads a block, one block a tile of C. Each matrix has fewer than 2^31 elements.
#include <cuda_pipeline.h>

#define BM 64
#define BN 64
#define BK 16
#define TM 4
#define TN 4
#define PAD 4
#define THREADS ((BN / TN) * (BM / TM))

// Starts to copy element (r, c) of X, which has rows × cols elements, to shared memory; a 0 where X has none.
// The copy goes on by itself, and the thread does not wait for it.
__device__ void copy1(float* to, const float* X, int rows, int cols, int r, int c)
{
    const bool inside = r < rows && c < cols;
    __pipeline_memcpy_async(to, inside ? X + r * cols + c : X, 4, inside ? 0 : 4);
}

// The same for four neighbours of one row, from (r, c) on.
__device__ void copy4(float* to, const float* X, int rows, int cols, int r, int c, bool aligned)
{
    if (aligned) {
        // TODO wide: one copy of all four, or of no byte and 16 bytes of zeros
        // BEGIN SOLUTION wide
        const bool inside = r < rows && c < cols;
        __pipeline_memcpy_async(to, inside ? X + r * cols + c : X, 16, inside ? 0 : 16);
        // END SOLUTION
    } else {
        for (int j = 0; j < 4; ++j) {
            copy1(to + j, X, rows, cols, r, c + j);
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

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
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
    const int row = row0 + ty * TM;  // where the thread's elements begin in C
    const int col = col0 + tx * TN;

    const bool wide_B = rows_aligned(B, N);
    const bool wide_C = rows_aligned(C, N);

    float acc[TM][TN] = {};  // the running sums, one an element of C, kept in registers

    // Starts to copy the tiles that begin at k0 into one buffer. All threads of the block take part.
    auto start_copies = [&](int buf, int k0) {
        // A tile has more elements than the block has threads: a thread copies several, THREADS
        // apart. Outside the matrix put 0, because 0 adds nothing to any sum. No thread may return
        // here, because all threads of the block must reach the barrier.
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

    // Walk along K, across a strip of A and down a strip of B, one pair of tiles at a time.
    int buf = 0;  // the buffer to multiply
    start_copies(buf, 0);
    for (int k0 = 0; k0 < K; k0 += BK) {
        // Read after write: the loop below reads what this thread and others copied into this buffer.
        // Write after read: the next copies overwrite the other buffer, which all have read by now.
        // TODO arrive: wait for this thread's copies, then for all threads
        // BEGIN SOLUTION arrive
        __pipeline_wait_prior(0);
        __syncthreads();
        // END SOLUTION

        // TODO next: start the copies of the next pair of tiles, if there is one, into the other buffer
        // BEGIN SOLUTION next
        if (k0 + BK < K) {
            start_copies(1 - buf, k0 + BK);
        }
        // END SOLUTION

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

        // TODO swap: the next turn multiplies the other buffer
        // BEGIN SOLUTION swap: buf = ______;
        buf = 1 - buf;
        // END SOLUTION
    }

    // The last tiles may hang over the edge of C. Sums out there are not stored.
    for (int m = 0; m < TM; ++m) {
        for (int n = 0; n < TN; n += 4) {
            store4(C, M, N, row + m, col + n, &acc[m][n], wide_C);
        }
    }
}
