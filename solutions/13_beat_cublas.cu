// Our entry for the capstone: C = A·B in float32, without tensor cores. A is M×K, B is K×N, C is M×N, all row-major.
// solve(), at the end, chooses by shape alone:
//   up to 16 rows          skinny: B is read once, and how fast it arrives is all that matters
//   many tiles of 128×256  large: patches of 8×16 a thread
//   fewer                  medium: tiles of 64×128, and two groups of threads share a tile, each with half of K
// Where the tiles do not fill the last wave, all multiprocessors share that wave along K, and add() adds their sums.
#include <cuda_pipeline.h>

#define SMS 132     // multiprocessors of the GPU that this is tuned for, an H200; it is right on any other
#define LARGES 100  // from so many tiles of 128×256 on, they keep the multiprocessors busy
#define SAVES 32    // the last wave is shared where that saves the time of so many tiles of K
#define BK 8
#define STAGES 4    // buffers for the tiles of A and B, so that a copy has the time of three tiles to arrive
#define PAD 4
#define A_LANES 8   // lanes that copy neighbouring k of one row of A, a sector of 32 bytes

// A tile of C: its size, that of a thread's patch, the lanes of a warp side by side, and how many groups of threads
// (slices) share the tile, each with its part of K.
template <int BM_, int BN_, int TM_, int TN_, int LANES_X_, int SLICES_>
struct Tile {
    static constexpr int BM = BM_, BN = BN_, TM = TM_, TN = TN_, SLICES = SLICES_;
    static constexpr int LANES_X = LANES_X_, LANES_Y = 32 / LANES_X_;
    static constexpr int THREADS = BM / TM * (BN / TN);  // of one slice
};
typedef Tile<128, 256, 8, 16, 4, 1> Large;
typedef Tile<64, 128, 8, 8, 8, 2> Medium;

// What one block makes at a time: the tile that begins at row0, col0, summed over k0 <= k < k1. The sums go to `to`, in
// rows that are `stride` apart; only `rows` × `cols` of them lie inside.
struct Part {
    int row0, col0, k0, k1;
    float* to;
    int stride, rows, cols;
};

// Copies four neighbours from shared memory to registers, by one access.
__device__ __forceinline__ void read4(const float* from, float* to)
{
    const float4 v = *reinterpret_cast<const float4*>(from);
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
    to[3] = v.w;
}

// A barrier for the threads of one slice. Barrier 0 is that of __syncthreads().
template <class T>
__device__ __forceinline__ void slice_barrier(int slice)
{
    if (T::SLICES == 1) {
        __syncthreads();
    } else {
        asm volatile("bar.sync %0, %1;" : : "r"(slice + 1), "n"(T::THREADS) : "memory");
    }
}

// FAST: the tile lies inside C, and the rows of B and C begin at multiples of 16 bytes.
template <class T, bool FAST>
__device__ __forceinline__ void multiply(float* pool, const float* A, const float* B, int M, int N, int K, Part part)
{
    constexpr int BM = T::BM, BN = T::BN, TM = T::TM, TN = T::TN, SLICES = T::SLICES;
    constexpr int LANES_X = T::LANES_X, LANES_Y = T::LANES_Y, THREADS = T::THREADS;
    const int slice = SLICES == 1 ? 0 : threadIdx.x / THREADS;
    const int tid = SLICES == 1 ? threadIdx.x : threadIdx.x % THREADS;
    float(*As)[BK][BM + PAD] = reinterpret_cast<float(*)[BK][BM + PAD]>(pool) + slice * STAGES;
    float(*Bs)[BK][BN] = reinterpret_cast<float(*)[BK][BN]>(pool + SLICES * STAGES * BK * (BM + PAD)) + slice * STAGES;
    const int warp = tid / 32;
    const int lane = tid % 32;
    const int lane_x = lane / 2 % LANES_X;  // as in lesson 09
    const int lane_y = lane / (2 * LANES_X) * 2 + lane % 2;
    constexpr int WARPS_X = BN / (LANES_X * TN);
    const int ty = warp / WARPS_X * LANES_Y * TM + 4 * lane_y;  // the thread's first row and column in the tile
    const int tx = warp % WARPS_X * LANES_X * TN + 4 * lane_x;

    // Where this thread's copies come from. Rows and columns outside are filled with zeros; their addresses are those
    // of the last row or column, and are not read.
    constexpr int A_STEP = THREADS / A_LANES, A_COPIES = BM / A_STEP;
    const int a_k = tid % A_LANES;
    const int a_row = tid / A_LANES;
    const int a_left = M - part.row0 - a_row;
    const float* a_from[A_COPIES];
    for (int i = 0; i < A_COPIES; ++i) {
        const int row = part.row0 + a_row + i * A_STEP;
        a_from[i] = A + (size_t)(FAST ? row : min(row, M - 1)) * K + part.k0 + slice * BK + a_k;
    }
    constexpr int WIDTH = FAST ? 4 : 1;  // floats a copy of B
    constexpr int B_LANES = FAST ? BN / 4 : 32, B_ROWS = THREADS / B_LANES, B_COPIES = BN / (B_LANES * WIDTH);
    const int b_k = tid / B_LANES;
    const int b_col = tid % B_LANES * WIDTH;
    const int b_left = N - part.col0 - b_col;
    const float* b_from[B_COPIES];
    for (int j = 0; j < B_COPIES; ++j) {
        const int col = part.col0 + b_col + j * B_LANES * WIDTH;
        b_from[j] = B + (size_t)(part.k0 + slice * BK + b_k) * N + (FAST ? col : min(col, N - 1));
    }

    // Starts to copy the next tiles, which begin at k, into one stage; whole: they end before the part does. All
    // threads of the slice take part.
    auto start_copies = [&](int stage, int k, bool whole) {
        for (int i = 0; i < A_COPIES; ++i) {
            const bool inside = (whole || k + a_k < part.k1) && (FAST || i * A_STEP < a_left);
            __pipeline_memcpy_async(&As[stage][a_k][a_row + i * A_STEP], a_from[i], 4, inside ? 0 : 4);
        }
        for (int kk = 0; kk < BK; kk += B_ROWS) {
            for (int j = 0; j < B_COPIES; ++j) {
                const bool inside = (whole || k + kk + b_k < part.k1) && (FAST || j * B_LANES * WIDTH < b_left);
                float* to = &Bs[stage][kk + b_k][b_col + j * B_LANES * WIDTH];
                __pipeline_memcpy_async(to, b_from[j] + kk * N, 4 * WIDTH, inside ? 0 : 4 * WIDTH);
            }
        }
        __pipeline_commit();
        for (int i = 0; i < A_COPIES; ++i) {
            a_from[i] += SLICES * BK;
        }
        for (int j = 0; j < B_COPIES; ++j) {
            b_from[j] += SLICES * BK * N;
        }
    };

    float acc[TM][TN] = {};  // the running sums, one an element of C, kept in registers
    float a[2][TM];          // two sets of fragments
    float b[2][TN];
    auto read_fragments = [&](int stage, int k, int set) {
        for (int n = 0; n < TN; n += 4) {
            read4(&Bs[stage][k][tx + n * LANES_X], &b[set][n]);
        }
        for (int m = 0; m < TM; m += 4) {
            read4(&As[stage][k][ty + m * LANES_Y], &a[set][m]);
        }
    };

    // Tiles beyond the part are all zeros, so that every turn of the loop is like the others.
    for (int stage = 0; stage < STAGES - 1; ++stage) {
        start_copies(stage, part.k0 + (stage * SLICES + slice) * BK, false);
    }
    __pipeline_wait_prior(STAGES - 2);
    slice_barrier<T>(slice);
    read_fragments(0, 0, 0);
    int stage = 0;            // the stage that is multiplied
    int filled = STAGES - 1;  // the stage that is filled
    auto turn = [&](int k0, bool whole) {
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            // Read after write: the next fragments are those of the next tiles, which must have arrived for all.
            // Write after read: the next turn overwrites this stage, which all have read by now.
            if (k == BK - 1) {
                __pipeline_wait_prior(STAGES - 2);
                slice_barrier<T>(slice);
                stage = stage == STAGES - 1 ? 0 : stage + 1;
            }
            if (k == 0) {
                start_copies(filled, k0 + ((STAGES - 1) * SLICES + slice) * BK, whole);
                filled = filled == STAGES - 1 ? 0 : filled + 1;
            }
            read_fragments(stage, (k + 1) % BK, (k + 1) % 2);
            // Two columns at a time, down one pair and up the next: neighbouring products share a fragment, which the
            // GPU keeps at hand, and need not read three registers of one bank.
#pragma unroll
            for (int i = 0; i < TM * TN; ++i) {
                const int pair = i / (2 * TM);
                const int step = i % (2 * TM);
                const int m = pair % 2 ? TM - 1 - step / 2 : step / 2;
                const int n = 2 * pair + (step % 2 ^ step / 2 % 2);
                acc[m][n] += a[k % 2][m] * b[k % 2][n];
            }
        }
    };
    // As long as the tiles to copy end before the part does, no copy needs a question.
    int k0 = part.k0;
    for (; FAST && k0 + STAGES * SLICES * BK <= part.k1; k0 += SLICES * BK) {
        turn(k0, true);
    }
    for (; k0 < part.k1; k0 += SLICES * BK) {
        turn(k0, false);
    }
    __pipeline_wait_prior(0);  // no copy may be under way when its buffer is used for another part, or for sums

    if (SLICES > 1) {  // the first slice adds the sums of the others, which they leave where the tiles were
        static_assert((SLICES - 1) * BM * BN <= SLICES * STAGES * BK * (BM + PAD + BN), "the sums need more room");
        float(*sums)[THREADS] = reinterpret_cast<float(*)[THREADS]>(pool);
        __syncthreads();
        for (int i = 0; slice > 0 && i < TM * TN; ++i) {
            sums[(slice - 1) * TM * TN + i][tid] = acc[i / TN][i % TN];
        }
        __syncthreads();
        if (slice > 0) {
            return;
        }
        for (int i = 0; i < (SLICES - 1) * TM * TN; ++i) {
            acc[i % (TM * TN) / TN][i % TN] += sums[i][tid];
        }
    }
    for (int m = 0; m < TM; ++m) {
        const int row = ty + m / 4 * 4 * LANES_Y + m % 4;
        for (int n = 0; n < TN; n += 4) {
            const int col = tx + n * LANES_X;
            float* to = part.to + (size_t)row * part.stride + col;
            if (FAST) {
                // Adding zero makes copies. Without, the compiler keeps the sums in fours of neighbouring registers all
                // the time, for this store, and the products above read registers of one bank.
                *reinterpret_cast<float4*>(to) = make_float4(acc[m][n] + 0.0f, acc[m][n + 1] + 0.0f,
                                                             acc[m][n + 2] + 0.0f, acc[m][n + 3] + 0.0f);
            } else {
                for (int j = 0; j < 4; ++j) {
                    if (row < part.rows && col + j < part.cols) {
                        to[j] = acc[m][n + j];
                    }
                }
            }
        }
    }
}

// The first `whole` blocks make a tile each. The others share the tiles that are left: their K tiles, one tile of C after
// another, are one long row, of which each block takes `steps`. So a block makes the end of one tile and the beginning
// of the next; neither is whole, and the sums of the blocks wait in `parts` for add().
template <class T>
__device__ __forceinline__ void run(const float* A, const float* B, float* C, float* parts, int M, int N, int K,
                                    int whole, int steps)
{
    extern __shared__ __align__(16) float pool[];
    const int tiles_x = (N + T::BN - 1) / T::BN;
    const int k_tiles = (K + BK - 1) / BK;
    const bool aligned = N % 4 == 0 && (reinterpret_cast<size_t>(B) | reinterpret_cast<size_t>(C)) % 16 == 0;
    const int block = blockIdx.x;
    const int share = block - whole;
    int at = share < 0 ? 0 : share * steps;
    const int end = share < 0 ? k_tiles : min(at + steps, (tiles_x * ((M + T::BM - 1) / T::BM) - whole) * k_tiles);
    while (at < end) {
        const int left = share < 0 ? 0 : at / k_tiles;  // which of the tiles that are left
        const int tile = share < 0 ? block : whole + left;
        const int first = at - left * k_tiles;
        const int count = min(end - at, k_tiles - first);
        Part part = {tile / tiles_x * T::BM, tile % tiles_x * T::BN, first * BK, min(K, (first + count) * BK)};
        if (share < 0) {
            part.to = C + (size_t)part.row0 * N + part.col0;
            part.stride = N;
            part.rows = M - part.row0;
            part.cols = N - part.col0;
        } else {
            part.to = parts + (size_t)(share + left) * T::BM * T::BN;
            part.stride = part.cols = T::BN;
            part.rows = T::BM;
        }
        if (aligned && part.row0 + T::BM <= M && part.col0 + T::BN <= N) {
            multiply<T, true>(pool, A, B, M, N, K, part);
        } else {
            multiply<T, false>(pool, A, B, M, N, K, part);
        }
        at += count;
        if (at < end) {
            __syncthreads();  // write after read: the next part fills the stages
        }
    }
}

extern "C" __global__ void __launch_bounds__(256, 1)
large(const float* A, const float* B, float* C, float* parts, int M, int N, int K, int whole, int steps)
{
    run<Large>(A, B, C, parts, M, N, K, whole, steps);
}

extern "C" __global__ void __launch_bounds__(256, 1)
medium(const float* A, const float* B, float* C, float* parts, int M, int N, int K, int whole, int steps)
{
    run<Medium>(A, B, C, parts, M, N, K, whole, steps);
}

// Adds what run() left in `parts`, in the order of k: so the result does not change from run to run. One row of blocks a tile;
// a thread adds one element.
extern "C" __global__ void __launch_bounds__(256)
add(const float* parts, float* C, int M, int N, int K, int whole, int steps, int BM, int BN)
{
    const int tiles_x = (N + BN - 1) / BN;
    const int k_tiles = (K + BK - 1) / BK;
    const int left = blockIdx.y;
    const int row0 = (whole + left) / tiles_x * BM, col0 = (whole + left) % tiles_x * BN;
    const int first = left * k_tiles / steps, last = (left * k_tiles + k_tiles - 1) / steps;
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = row0 + at / BN, col = col0 + at % BN;
    if (row < M && col < N) {
        float sum = 0.0f;
#pragma unroll 8
        for (int share = first; share <= last; ++share) {
            sum += parts[(size_t)(share + left) * BM * BN + at];
        }
        C[(size_t)row * N + col] = sum;
    }
}

// C = A·B for at most ROWS rows. LX lanes side by side take 4·LX columns, and each group of so many lanes takes fours of
// k in turn. The block's sums over `share` of K are added in shared memory. FAST: rows begin at multiples of 16 bytes.
template <int ROWS, int LX, int THREADS, bool FAST>
__device__ __forceinline__ void multiply_rows(float4 (*sums)[ROWS][LX], const float* A, const float* B, float* to,
                                              int M, int N, int K, int share)
{
    constexpr int GROUPS = THREADS / LX;
    const int lane_x = threadIdx.x % LX;
    const int col = (blockIdx.x * LX + lane_x) * 4;
    const int k_end = min(K, ((int)blockIdx.y + 1) * share);
    // Four neighbours of a row, or zeros where they lie outside. B is read only once: no cache is to keep it.
    auto row_of_B = [&](int k) {
        float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        const float* from = B + (size_t)k * N + col;
        if (FAST) {
            if (k < k_end && col < N) v = __ldcs(reinterpret_cast<const float4*>(from));
        } else if (k < k_end) {
            if (col < N) v.x = __ldcs(from);
            if (col + 1 < N) v.y = __ldcs(from + 1);
            if (col + 2 < N) v.z = __ldcs(from + 2);
            if (col + 3 < N) v.w = __ldcs(from + 3);
        }
        return v;
    };
    auto four_of_A = [&](int m, int k) {
        float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        const float* from = A + (size_t)m * K + k;
        if (FAST) {
            if (m < M && k < k_end) v = *reinterpret_cast<const float4*>(from);
        } else if (m < M) {
            if (k < k_end) v.x = from[0];
            if (k + 1 < k_end) v.y = from[1];
            if (k + 2 < k_end) v.z = from[2];
            if (k + 3 < k_end) v.w = from[3];
        }
        return v;
    };

    float acc[ROWS][4] = {};
    float4 next[4];  // the rows of B that are multiplied next; they are under way while others are multiplied
    int k = blockIdx.y * share + 4 * (threadIdx.x / LX);
    for (int j = 0; j < 4; ++j) {
        next[j] = row_of_B(k + j);
    }
    for (; k < k_end; k += 4 * GROUPS) {
        float4 b[4];
        for (int j = 0; j < 4; ++j) {
            b[j] = next[j];
            next[j] = row_of_B(k + 4 * GROUPS + j);
        }
#pragma unroll
        for (int m = 0; m < ROWS; ++m) {
            const float4 four = four_of_A(m, k);
            const float a[4] = {four.x, four.y, four.z, four.w};
            for (int j = 0; j < 4; ++j) {
                acc[m][0] += a[j] * b[j].x;
                acc[m][1] += a[j] * b[j].y;
                acc[m][2] += a[j] * b[j].z;
                acc[m][3] += a[j] * b[j].w;
            }
        }
    }

    // The sums of a warp's groups come together by shuffles, those of the warps in shared memory, half of them at a time.
    for (int lanes = LX; lanes < 32; lanes *= 2) {
        for (int i = 0; i < 4 * ROWS; ++i) {
            acc[i / 4][i % 4] += __shfl_xor_sync(~0u, acc[i / 4][i % 4], lanes);
        }
    }
    const int warp = threadIdx.x / 32;
    const bool first = threadIdx.x % 32 < LX;
    for (int half = THREADS / 64; half > 0; half /= 2) {
        if (first && warp >= half && warp < 2 * half) {
            for (int m = 0; m < ROWS; ++m) {
                sums[warp - half][m][lane_x] = make_float4(acc[m][0], acc[m][1], acc[m][2], acc[m][3]);
            }
        }
        __syncthreads();
        if (first && warp < half) {
            for (int m = 0; m < ROWS; ++m) {
                const float4 v = sums[warp][m][lane_x];
                acc[m][0] += v.x;
                acc[m][1] += v.y;
                acc[m][2] += v.z;
                acc[m][3] += v.w;
            }
        }
        __syncthreads();
    }
    if (first && warp == 0) {
        for (int i = 0; i < 4 * ROWS; ++i) {
            if (i / 4 < M && col + i % 4 < N) {
                to[(size_t)(blockIdx.y * M + i / 4) * N + col + i % 4] = acc[i / 4][i % 4];
            }
        }
    }
}

template <int ROWS, int LX, int THREADS>
__device__ __forceinline__ void skinny(const float* A, const float* B, float* to, int M, int N, int K, int share)
{
    __shared__ float4 sums[THREADS / 64][ROWS][LX];
    if (N % 4 == 0 && K % 4 == 0 && (reinterpret_cast<size_t>(A) | reinterpret_cast<size_t>(B)) % 16 == 0) {
        multiply_rows<ROWS, LX, THREADS, true>(sums, A, B, to, M, N, K, share);
    } else {
        multiply_rows<ROWS, LX, THREADS, false>(sums, A, B, to, M, N, K, share);
    }
}

// For one row, strips of 32 columns, so that every multiprocessor has some and none needs to share K.
extern "C" __global__ void __launch_bounds__(256, 4)
skinny_1(const float* A, const float* B, float* to, int M, int N, int K, int share)
{
    skinny<1, 8, 256>(A, B, to, M, N, K, share);
}

extern "C" __global__ void __launch_bounds__(128)
skinny_8(const float* A, const float* B, float* to, int M, int N, int K, int share)
{
    skinny<8, 32, 128>(A, B, to, M, N, K, share);
}

extern "C" __global__ void __launch_bounds__(128)
skinny_16(const float* A, const float* B, float* to, int M, int N, int K, int share)
{
    skinny<16, 32, 128>(A, B, to, M, N, K, share);
}

// At most 16 rows: strips of columns, and blocks that share K where there are fewer strips than the GPU has room for.
static void solve_skinny(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int k_tiles = (K + BK - 1) / BK;
    if (M == 1) {
        skinny_1<<<(N + 31) / 32, 256>>>(A, B, C, M, N, K, k_tiles * BK);
        return;
    }
    const int strips = (N + 127) / 128;
    const int steps = (k_tiles * strips + 4 * SMS - 1) / (4 * SMS);
    const int shares = (k_tiles + steps - 1) / steps;
    float* parts = nullptr;
    cudaMalloc(&parts, (size_t)shares * M * N * sizeof(float));
    if (M <= 8) {
        skinny_8<<<dim3(strips, shares), 128>>>(A, B, parts, M, N, K, steps * BK);
    } else {
        skinny_16<<<dim3(strips, shares), 128>>>(A, B, parts, M, N, K, steps * BK);
    }
    add<<<(M * N + 255) / 256, 256>>>(parts, C, M, N, K, 0, steps, M, N);  // C as one tile
    cudaFree(parts);
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K)
{
    if (M <= 16) {
        solve_skinny(A, B, C, M, N, K);
        return;
    }
    const bool big = (M + 127) / 128 * ((N + 255) / 256) >= LARGES;
    const int BM = big ? 128 : 64;
    const int BN = big ? 256 : 128;
    const int tiles = (M + BM - 1) / BM * ((N + BN - 1) / BN);
    const int k_tiles = (K + BK - 1) / BK;
    int shared = tiles % SMS;  // tiles of the last wave
    if ((SMS - shared) * k_tiles < SAVES * SMS) {
        shared = 0;
    }
    const int whole = tiles - shared;
    const int steps = shared > 0 ? (shared * k_tiles + SMS - 1) / SMS : 1;
    const int shares = (shared * k_tiles + steps - 1) / steps;
    float* parts = nullptr;
    if (shared > 0) {
        cudaMalloc(&parts, (size_t)(shares + shared) * BM * BN * sizeof(float));
    }
    if (big) {
        const int bytes = STAGES * BK * (128 + PAD + 256) * (int)sizeof(float);
        cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
        large<<<whole + shares, 256, bytes>>>(A, B, C, parts, M, N, K, whole, steps);
    } else {
        const int bytes = 2 * STAGES * BK * (64 + PAD + 128) * (int)sizeof(float);
        cudaFuncSetAttribute(medium, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
        medium<<<whole + shares, 256, bytes>>>(A, B, C, parts, M, N, K, whole, steps);
    }
    if (shared > 0) {
        add<<<dim3(BM * BN / 256, shared), 256>>>(parts, C, M, N, K, whole, steps, BM, BN);
    }
    cudaFree(parts);
}
