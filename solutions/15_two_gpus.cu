// Lesson 15: C = A·B on several devices of one machine. A is M×K, B is K×N, C is M×N, all row-major float32.
// A device has a band of the rows of A, all of B, and in the end all of C: it computes its band of C, and stores each
// finished tile into the C of every device, its own and its peers'. A flag a tile says that the tile has arrived.
// A block computes one BM×BN tile of C, in steps of BK along K. A thread computes TM×TN elements of it,
// in pieces of 4×4. The 32 threads of a warp stand together, in LANES_Y rows of LANES_X, and their pieces are spread
// over the warp's tile of LANES_Y·TM×LANES_X·TN elements.
// Launch: solve() below, on every device. Each matrix has fewer than 2^31 elements.
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
#define WAITERS 256                    // threads of the one block that waits for the peers' tiles

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
// A is this device's band: M rows, of which the first is row `first` of C. C_of has the C of every device, flags_of its
// flags, one for each tile of C; this device's tiles are those from tile0 on. This kernel waits for nobody.
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS_A_SM)
gemm(const float* A, const float* B, float* const* C_of, unsigned* const* flags_of, int M, int N, int K, int first,
     int tile0, int rank, int world)
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
    const int row0 = blockIdx.y * BM;  // where the block's tile begins in this device's band of C
    const int col0 = blockIdx.x * BN;
    const int row = row0 + ty;  // where the thread's first piece begins in the band
    const int col = col0 + tx;

    // Where the thread's first copies lie in the tiles, and how many rows it is from one to the next.
    const int a_row = tid / BK, a_col = tid % BK, a_band = THREADS / BK;
    const int b_row = tid / (BN / 4), b_col = tid % (BN / 4) * 4, b_band = THREADS / (BN / 4);
    static_assert(BM % a_band == 0 && BK % b_band == 0, "the bands that the block copies must fill both tiles");
    const float* const a_from = A + (row0 + a_row) * K + a_col;  // and in the matrices, at k0 = 0
    const float* const b_from = B + b_row * N + (col0 + b_col);
    const bool wide_B = rows_aligned(B, N);

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

    // The tile goes to every device while other blocks still multiply: exchange and arithmetic overlap.
    for (int peer = 0; peer < world; ++peer) {
        // TODO peer: float* to, where this device's band begins in the C of device `peer`
        // BEGIN SOLUTION peer
        float* to = C_of[peer] + first * N;
        // END SOLUTION
        const bool wide = rows_aligned(to, N);
        // The last tiles may hang over the edge of the band. Sums out there are not stored. Unrolled, because registers
        // have no index: in a loop that is none the compiler keeps the sums in memory.
#pragma unroll
        for (int m = 0; m < TM; ++m) {
#pragma unroll
            for (int n = 0; n < TN; n += 4) {
                store4(to, M, N, row + m / 4 * 4 * LANES_Y + m % 4, col + n * LANES_X, &acc[m][n], wide);
            }
        }
    }

    // The tile is the work of all threads of the block, its flag on a peer that of one.
    // TODO fence: wait until the whole block has stored; then let that come, for all devices, before what this thread does
    // BEGIN SOLUTION fence
    __syncthreads();
    __threadfence_system();
    // END SOLUTION
    const int tile = tile0 + blockIdx.y * gridDim.x + blockIdx.x;
    if (tid < world && tid != rank) {
        // TODO flag: raise the flag of this tile on device number tid
        // BEGIN SOLUTION flag
        atomicExch_system(&flags_of[tid][tile], 1u);
        // END SOLUTION
    }
}

// Ends when all tiles of C have arrived, of which there are `tiles`; this device's own are the `own` from tile0 on. One
// block only: so many of its kind as there are devices leave room for all others, even where the devices share a GPU.
extern "C" __global__ void __launch_bounds__(WAITERS) await_tiles(unsigned* flags, int tiles, int tile0, int own)
{
    for (int tile = threadIdx.x; tile < tiles; tile += WAITERS) {
        if (tile >= tile0 && tile < tile0 + own) continue;
        // TODO wait: wait until the flag of this tile is up, then lower it for the next product
        // BEGIN SOLUTION wait
        while (atomicAdd_system(&flags[tile], 0u) == 0u) {
        }
        atomicExch_system(&flags[tile], 0u);
        // END SOLUTION
    }
    __threadfence_system();  // what is read from here on is read after the flags
}

// Host code: launches one device's part of a product. Each device runs it once, with its number `rank` of `world`.
extern "C" void solve(const float* A, const float* B, float* const* C_of, unsigned* flags, unsigned* const* flags_of,
                      int M, int N, int K, int rank, int world)
{
    const int band = (M + world - 1) / world;  // rows a device; the last ones may have fewer, or none
    const int first = rank * band;
    const int rows = min(band, M - first);
    const int tiles_x = (N + BN - 1) / BN;
    const int own = tiles_x * ((band + BM - 1) / BM);  // tiles of a band
    if (rows > 0) {
        gemm<<<dim3(tiles_x, (rows + BM - 1) / BM), dim3(BN / TN, BM / TM)>>>(
            A, B, C_of, flags_of, rows, N, K, first, rank * own, rank, world);
    }
    // The bands that are whole, and the rest.
    const int tiles = M / band * own + (M % band + BM - 1) / BM * tiles_x;
    await_tiles<<<1, WAITERS>>>(flags, tiles, rank * own, own);
}
