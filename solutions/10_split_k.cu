// Lesson 10: C = A·B, tile by tile and slice by slice. A is M×K, B is K×N, C is M×N, all row-major float32.
// K is cut into slices. A block computes the sums of one slice for one BM×BN tile of C, in steps of BK along K. These
// partial sums go to a workspace, which has the room of one C for each slice. A second kernel adds them.
// A thread computes TM×TN elements of the tile, in pieces of 4×4. The 32 threads of a warp stand together, as in lesson 09.
// Launch: by `solve`, at the end. Each matrix and the workspace have fewer than 2^31 elements.
#include <cuda_pipeline.h>

#define BM 64
#define BN 128
#define BK 16
#define TM 8
#define TN 4
#define PAD 4
#define SMS 132  // of an H200; on another GPU the sums are right as well
#define BLOCKS_A_SM 2
#define SHORTEST 64  // k of a slice: a shorter one is not worth its partial sums
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
partial_sums(const float* A, const float* B, float* workspace, int M, int N, int K, int slice)
{
    // Shared memory: one copy a block, seen by all its threads, much nearer than global memory.
    // Two buffers: one is multiplied while the other is filled.
    // As is stored transposed: so a thread's TM elements of one k are neighbours, as its TN elements of Bs are.
    __shared__ __align__(16) float As[2][BK][BM + PAD];
    __shared__ __align__(16) float Bs[2][BK][BN];

    const int tid = threadIdx.y * (BN / TN) + threadIdx.x;  // the threads of the block, counted from 0
    const int warp = tid / 32;
    const int lane = tid % 32;

    const int lane_x = lane / 2 % LANES_X;
    const int lane_y = lane / (2 * LANES_X) * 2 + lane % 2;
    // The next piece of the thread is 4·LANES_Y rows further down, or 4·LANES_X columns to the right.
    const int tx = warp % WARPS_X * LANES_X * TN + lane_x * 4;
    const int ty = warp / WARPS_X * LANES_Y * TM + lane_y * 4;
    const int row0 = blockIdx.y * BM;  // where the block's tile begins in C
    const int col0 = blockIdx.x * BN;
    const int row = row0 + ty;  // where the thread's first piece begins in C
    const int col = col0 + tx;

    // TODO share: int k_first and k_end, between which the block's slice of K lies, and float* own, its part of workspace
    // BEGIN SOLUTION share
    const int k_first = blockIdx.z * slice;
    const int k_end = min(k_first + slice, K);
    float* own = workspace + blockIdx.z * M * N;
    // END SOLUTION

    // Where the thread's first copies lie in the tiles, and how many rows it is from one to the next.
    const int a_row = tid / BK, a_col = tid % BK, a_band = THREADS / BK;
    const int b_row = tid / (BN / 4), b_col = tid % (BN / 4) * 4, b_band = THREADS / (BN / 4);
    static_assert(BM % a_band == 0 && BK % b_band == 0, "the bands that the block copies must fill both tiles");
    const float* const a_from = A + (row0 + a_row) * K + a_col;  // and in the matrices, at k0 = 0
    const float* const b_from = B + b_row * N + (col0 + b_col);
    const bool wide_B = rows_aligned(B, N);
    const bool wide_C = rows_aligned(own, N);

    float acc[TM][TN] = {};  // the running sums, one an element of C, kept in registers

    // Starts to copy the tiles that begin at k0 into one buffer. All threads of the block take part.
    auto start_copies = [&](int buf, int k0) {
        // A tile has more elements than the block has threads: a thread copies several of one column,
        // the block a band of rows at a time. Outside the matrix put 0, because 0 adds nothing to any sum.
        // No thread may return here, because all threads of the block must reach the barrier.
        for (int i = 0; i < BM; i += a_band) {
            const bool inside = row0 + a_row + i < M && k0 + a_col < k_end;
            copy1(&As[buf][a_col][a_row + i], a_from + i * K + k0, inside);
        }
        for (int i = 0; i < BK; i += b_band) {
            const int left = k0 + b_row + i < k_end ? N - col0 - b_col : 0;
            copy4(&Bs[buf][b_row + i][b_col], b_from + (k0 + i) * N, left, wide_B);
        }
        __pipeline_commit();
    };

    // Walk along the slice, across a strip of A and down a strip of B, one pair of tiles at a time.
    int buf = 0;  // the buffer to multiply
    start_copies(buf, k_first);
    for (int k0 = k_first; k0 < k_end; k0 += BK) {
        // Read after write: the loop below reads what this thread and others copied into this buffer.
        // Write after read: the next copies overwrite the other buffer, which all have read by now.
        __pipeline_wait_prior(0);
        __syncthreads();

        if (k0 + BK < k_end) {
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

    // The last tiles may hang over the edge of C. Sums out there are not stored.
    for (int m = 0; m < TM; ++m) {
        for (int n = 0; n < TN; n += 4) {
            store4(own, M, N, row + m / 4 * 4 * LANES_Y + m % 4, col + n * LANES_X, &acc[m][n], wide_C);
        }
    }
}

// Adds the partial sums of each element of C, of which there are `count`, in the order of the slices: so C is the same,
// to the last bit, at every launch. Neighbours read neighbours.
extern "C" __global__ void reduce(const float* workspace, float* C, int count, int slices)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    // TODO sum: add the slices' sums for element i, if there is such an element, and store it in C
    // BEGIN SOLUTION sum
    if (i < count) {
        float sum = 0.0f;
        for (int s = 0; s < slices; ++s) {
            sum += workspace[s * count + i];
        }
        C[i] = sum;
    }
    // END SOLUTION
}

// Host code: launches what is to be done for one product. A, B and C are on the GPU.
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int tiles_x = (N + BN - 1) / BN;
    const int tiles_y = (M + BM - 1) / BM;
    // As many slices as fill one wave: all blocks that are on the GPU at one time.
    int slices = SMS * BLOCKS_A_SM / (tiles_x * tiles_y);
    slices = max(1, min(slices, K / SHORTEST));
    const int steps = (K + BK - 1) / BK;
    const int slice = (steps + slices - 1) / slices * BK;  // whole steps, so that only the last slice is ragged
    slices = (K + slice - 1) / slice;                      // so that no slice is empty
    if (slices == 1) {  // the sums of one slice are C
        partial_sums<<<dim3(tiles_x, tiles_y), dim3(BN / TN, BM / TM)>>>(A, B, C, M, N, K, slice);
        return;
    }
    float* workspace;
    cudaMalloc(&workspace, sizeof(float) * slices * M * N);
    // The second kernel begins when the first has ended: both are launched into one stream.
    // TODO launch: first the partial sums of all tiles and slices, then the reduction, with 256 threads a block
    // BEGIN SOLUTION launch
    partial_sums<<<dim3(tiles_x, tiles_y, slices), dim3(BN / TN, BM / TM)>>>(A, B, workspace, M, N, K, slice);
    reduce<<<(M * N + 255) / 256, 256>>>(workspace, C, M * N, slices);
    // END SOLUTION
    cudaFree(workspace);
}
