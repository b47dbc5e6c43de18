// Lesson 12: C = silu(alpha·A·B + beta·C + bias), in one kernel. A is M×K, B is K×N, C is M×N, all row-major float32.
// The bias has N values, one for each column of C. Where beta is 0, C holds nothing that may be read.
// A block computes one BM×BN tile of C, in steps of BK along K. A thread computes TM×TN elements of it,
// in pieces of 4×4. The 32 threads of a warp stand together, in LANES_Y rows of LANES_X, and their pieces are spread
// over the warp's tile of LANES_Y·TM×LANES_X·TN elements.
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
#define LANES_X 8
#define LANES_Y 4
#define WARPS_X (BN / (LANES_X * TN))  // warp tiles side by side in the block's tile

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
        __pipeline_memcpy_async(to, from, 16, left > 0 ? 0 : 16);
    } else {
        for (int j = 0; j < 4; ++j) {
            copy1(to + j, from + j, j < left);
        }
    }
}

// Copies four neighbours to registers, by one access.
__device__ void read4(const float* from, float* to)
{
    const float4 v = *reinterpret_cast<const float4*>(from);
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
    to[3] = v.w;
}

// Reads four neighbours of one row of X, from (r, c) on. Those outside X are 0.
__device__ void load4(const float* X, int rows, int cols, int r, int c, float* v, bool aligned)
{
    const bool inside = r < rows && c < cols;
    const float* from = X + r * cols + c;
    if (aligned && inside) {
        read4(from, v);
    } else {
        for (int j = 0; j < 4; ++j) {
            v[j] = inside && c + j < cols ? from[j] : 0.0f;
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

// Whether every row of X begins at a multiple of 16 bytes. X has cols columns.
__device__ bool rows_aligned(const float* X, int cols)
{
    return reinterpret_cast<size_t>(X) % 16 == 0 && cols % 4 == 0;
}

// x · sigmoid(x), the activation of the feed-forward layers of many language models.
__device__ float silu(float x)
{
    // TODO silu: x divided by 1 + exp(-x)
    // BEGIN SOLUTION silu
    return x / (1.0f + expf(-x));
    // END SOLUTION
}

// Two promises to the compiler: a block never has more than THREADS threads, and BLOCKS_A_SM of them must fit on an SM.
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS_A_SM)
gemm(const float* A, const float* B, const float* bias, float* C, int M, int N, int K, float alpha, float beta)
{
    // Shared memory: one copy a block, seen by all its threads, much nearer than global memory.
    // Two buffers: one is multiplied while the other is filled.
    // As is stored transposed: so a thread's TM elements of one k are neighbours, as its TN elements of Bs are.
    __shared__ __align__(16) float As[2][BK][BM + PAD];
    __shared__ __align__(16) float Bs[2][BK][BN];

    const int tid = threadIdx.y * (BN / TN) + threadIdx.x;  // the threads of the block, counted from 0
    const int warp = tid / 32;
    const int lane = tid % 32;

    // The lane's place in its warp's tile, lane_x from 0 to 7 and lane_y from 0 to 3.
    const int lane_x = lane / 2 % LANES_X;
    const int lane_y = lane / (2 * LANES_X) * 2 + lane % 2;
    // The next piece of the thread is 4·LANES_Y rows further down, or 4·LANES_X columns to the right.
    // Where the thread's first piece begins in the block's tile, in elements: column tx and row ty.
    const int tx = warp % WARPS_X * LANES_X * TN + lane_x * 4;
    const int ty = warp / WARPS_X * LANES_Y * TM + lane_y * 4;
    const int row0 = blockIdx.y * BM;  // where the block's tile begins in C
    const int col0 = blockIdx.x * BN;
    const int row = row0 + ty;  // where the thread's first piece begins in C
    const int col = col0 + tx;

    // Where the thread's first copies lie in the tiles, and how many rows it is from one to the next.
    const int a_row = tid / BK, a_col = tid % BK, a_band = THREADS / BK;
    const int b_row = tid / (BN / 4), b_col = tid % (BN / 4) * 4, b_band = THREADS / (BN / 4);
    static_assert(BM % a_band == 0 && BK % b_band == 0, "the bands that the block copies must fill both tiles");
    const float* const a_from = A + (row0 + a_row) * K + a_col;  // and in the matrices, at k0 = 0
    const float* const b_from = B + b_row * N + (col0 + b_col);
    const bool wide_B = rows_aligned(B, N);
    const bool wide_C = rows_aligned(C, N);
    const bool wide_bias = rows_aligned(bias, N);

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
        __pipeline_wait_prior(0);
        __syncthreads();

        if (k0 + BK < K) {
            start_copies(1 - buf, k0 + BK);
        }

        // Unrolled by eight, so that the reads of one k go on while the products of another are added.
#pragma unroll 8
        for (int k = 0; k < BK; ++k) {
            float a[TM];
            float b[TN];
            for (int m = 0; m < TM; m += 4) {
                read4(&As[buf][k][ty + m * LANES_Y], &a[m]);
            }
            for (int n = 0; n < TN; n += 4) {
                read4(&Bs[buf][k][tx + n * LANES_X], &b[n]);
            }
            for (int m = 0; m < TM; ++m) {
                for (int n = 0; n < TN; ++n) {
                    acc[m][n] += a[m] * b[n];
                }
            }
        }

        buf = 1 - buf;
    }

    // The epilogue. The sums are complete and still in registers: whatever is to be done to them costs no trip to
    // memory here. The thread's columns are the same in all of its rows, so their bias is read once.
    float b[TN];
    for (int n = 0; n < TN; n += 4) {
        // TODO bias: put the bias of the four columns from col + n * LANES_X on into b[n] to b[n + 3]
        // BEGIN SOLUTION bias
        load4(bias, 1, N, 0, col + n * LANES_X, &b[n], wide_bias);
        // END SOLUTION
    }

    // The last tiles may hang over the edge of C. Sums out there are not stored. Unrolled, because registers have no
    // index: in a loop that is none the compiler keeps the sums in memory.
#pragma unroll
    for (int m = 0; m < TM; ++m) {
#pragma unroll
        for (int n = 0; n < TN; n += 4) {
            const int r = row + m / 4 * 4 * LANES_Y + m % 4;
            const int c = col + n * LANES_X;
            float old[4] = {};  // what C holds before
            // TODO old: read these four elements of C into old, but only where beta is not 0
            // BEGIN SOLUTION old
            if (beta != 0.0f) load4(C, M, N, r, c, old, wide_C);
            // END SOLUTION
            float v[4];  // what is stored
            for (int j = 0; j < 4; ++j) {
                // TODO sum: v[j], from the sum acc[m][n + j], old[j] and b[n + j]
                // BEGIN SOLUTION sum
                v[j] = silu(alpha * acc[m][n + j] + beta * old[j] + b[n + j]);
                // END SOLUTION
            }
            store4(C, M, N, r, c, v, wide_C);
        }
    }
}
