// Beyond the ladder: lesson 15 with the product of our entry for lesson 13. A is M×K, B is K×N, C is M×N, all row-major
// float32. A device has a band of the rows of A, all of B, and in the end all of C.
// A block makes a tile of C and stores it into the C of every device. Where the tiles do not fill the last wave, all
// multiprocessors share that wave along K, and add() adds their sums and stores them into the C of every device.
// A flag a tile says how much of it has arrived: it counts pieces of 256 elements.
// Launch: solve() below, on every device. Each matrix has fewer than 2^31 elements.
#include <cuda_pipeline.h>

#define SMS 132   // multiprocessors of the GPU that this is tuned for, an H200; it is right on any other
#define SAVES 32  // the last wave is shared where that saves the time of so many tiles of K
#define BM 128
#define BN 256
#define BK 8
#define TM 8
#define TN 16
#define STAGES 4  // buffers for the tiles of A and B, so that a copy has the time of three tiles to arrive
#define PAD 4
#define LANES_X 4
#define LANES_Y 8
#define THREADS (BM / TM * (BN / TN))
#define WARPS_X (BN / (LANES_X * TN))  // warp tiles side by side in the block's tile
#define A_LANES 8                      // lanes that copy neighbouring k of one row of A, a sector of 32 bytes
#define A_STEP (THREADS / A_LANES)     // rows from one copy of a thread to its next
#define A_COPIES (BM / A_STEP)
#define ADDED 256                      // elements that a block of add() adds, one a thread
#define PIECES (BM * BN / ADDED)       // what the flag of a tile counts to
#define WAITERS 256                    // threads of the one block that waits for the peers' tiles

// What one block makes at a time: the tile that begins at row0, col0, summed over k0 <= k < k1.
struct Part {
    int row0, col0, k0, k1;
};

// Where a tile goes: its rows are `stride` apart, and only `rows` × `cols` of it lie inside.
struct Place {
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

// FAST: the tile lies inside C, and the rows of B and of every C begin at multiples of 16 bytes.
// `place` says for each of `places` copies of the tile where it goes.
template <bool FAST, class Places>
__device__ __forceinline__ void multiply(float* pool, const float* A, const float* B, int M, int N, int K, Part part,
                                         int places, Places place)
{
    float(*As)[BK][BM + PAD] = reinterpret_cast<float(*)[BK][BM + PAD]>(pool);
    float(*Bs)[BK][BN] = reinterpret_cast<float(*)[BK][BN]>(pool + STAGES * BK * (BM + PAD));
    const int tid = threadIdx.x;
    const int warp = tid / 32;
    const int lane = tid % 32;
    const int lane_x = lane / 2 % LANES_X;  // as in lesson 09
    const int lane_y = lane / (2 * LANES_X) * 2 + lane % 2;
    const int ty = warp / WARPS_X * LANES_Y * TM + 4 * lane_y;  // the thread's first row and column in the tile
    const int tx = warp % WARPS_X * LANES_X * TN + 4 * lane_x;

    // Where this thread's copies come from. Rows and columns outside are filled with zeros; their addresses are those
    // of the last row or column, and are not read.
    const int a_k = tid % A_LANES;
    const int a_row = tid / A_LANES;
    const int a_left = M - part.row0 - a_row;
    const float* a_from[A_COPIES];
    for (int i = 0; i < A_COPIES; ++i) {
        const int row = part.row0 + a_row + i * A_STEP;
        a_from[i] = A + (size_t)(FAST ? row : min(row, M - 1)) * K + part.k0 + a_k;
    }
    constexpr int WIDTH = FAST ? 4 : 1;  // floats a copy of B
    constexpr int B_LANES = FAST ? BN / 4 : 32, B_ROWS = THREADS / B_LANES, B_COPIES = BN / (B_LANES * WIDTH);
    const int b_k = tid / B_LANES;
    const int b_col = tid % B_LANES * WIDTH;
    const int b_left = N - part.col0 - b_col;
    const float* b_from[B_COPIES];
    for (int j = 0; j < B_COPIES; ++j) {
        const int col = part.col0 + b_col + j * B_LANES * WIDTH;
        b_from[j] = B + (size_t)(part.k0 + b_k) * N + (FAST ? col : min(col, N - 1));
    }

    // Starts to copy the next tiles, which begin at k, into one stage; whole: they end before the part does. All
    // threads of the block take part.
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
            a_from[i] += BK;
        }
        for (int j = 0; j < B_COPIES; ++j) {
            b_from[j] += BK * N;
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
        start_copies(stage, part.k0 + stage * BK, false);
    }
    __pipeline_wait_prior(STAGES - 2);
    __syncthreads();
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
                __syncthreads();
                stage = stage == STAGES - 1 ? 0 : stage + 1;
            }
            if (k == 0) {
                start_copies(filled, k0 + (STAGES - 1) * BK, whole);
                filled = filled == STAGES - 1 ? 0 : filled + 1;
            }
            read_fragments(stage, (k + 1) % BK, (k + 1) % 2);
            // Two columns at a time, down one pair and up the next, as in our entry for lesson 13.
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
    for (; FAST && k0 + STAGES * BK <= part.k1; k0 += BK) {
        turn(k0, true);
    }
    for (; k0 < part.k1; k0 += BK) {
        turn(k0, false);
    }
    __pipeline_wait_prior(0);  // no copy may be under way when its buffer is used for another part

    // Adding zero makes copies. Without, the compiler keeps the sums in fours of neighbouring registers all the time, for
    // these stores, and the products above read registers of one bank.
    for (int m = 0; m < TM; ++m) {
        for (int n = 0; n < TN; ++n) {
            acc[m][n] += 0.0f;
        }
    }
    for (int copy = 0; copy < places; ++copy) {
        const Place goal = place(copy);
#pragma unroll
        for (int m = 0; m < TM; ++m) {
            const int row = ty + m / 4 * 4 * LANES_Y + m % 4;
#pragma unroll
            for (int n = 0; n < TN; n += 4) {
                const int col = tx + n * LANES_X;
                float* to = goal.to + (size_t)row * goal.stride + col;
                if (FAST) {
                    *reinterpret_cast<float4*>(to) =
                        make_float4(acc[m][n], acc[m][n + 1], acc[m][n + 2], acc[m][n + 3]);
                } else {
                    for (int j = 0; j < 4; ++j) {
                        if (row < goal.rows && col + j < goal.cols) {
                            to[j] = acc[m][n + j];
                        }
                    }
                }
            }
        }
    }
}

// Tells every peer that so many pieces of a tile have arrived. All threads of the block take part.
__device__ __forceinline__ void tell(unsigned* const* flags_of, int tile, unsigned pieces, int rank, int world)
{
    __syncthreads();
    __threadfence_system();
    if (threadIdx.x < world && threadIdx.x != rank) {
        atomicAdd_system(&flags_of[threadIdx.x][tile], pieces);
    }
}

// A is this device's band: M rows, of which the first is row `first` of C. Its tiles of C are those from tile0 on.
// The first `whole` blocks make a tile each. The others share the tiles that are left: their K tiles, one tile of C after
// another, are one long row, of which each block takes `steps`. So a block makes the end of one tile and the beginning
// of the next; neither is whole, and the sums of the blocks wait in `parts` for add().
extern "C" __global__ void __launch_bounds__(THREADS, 1)
large(const float* A, const float* B, float* const* C_of, unsigned* const* flags_of, float* parts, int M, int N, int K,
      int first, int tile0, int rank, int world, int whole, int steps)
{
    extern __shared__ __align__(16) float pool[];
    const int tiles_x = (N + BN - 1) / BN;
    const int k_tiles = (K + BK - 1) / BK;
    bool aligned = N % 4 == 0 && reinterpret_cast<size_t>(B) % 16 == 0;
    for (int peer = 0; peer < world; ++peer) {
        aligned = aligned && reinterpret_cast<size_t>(C_of[peer]) % 16 == 0;
    }
    const int share = (int)blockIdx.x - whole;
    int at = share < 0 ? 0 : share * steps;
    const int end = share < 0 ? k_tiles : min(at + steps, (tiles_x * ((M + BM - 1) / BM) - whole) * k_tiles);
    while (at < end) {
        const int left = share < 0 ? 0 : at / k_tiles;  // which of the tiles that are left
        const int tile = share < 0 ? (int)blockIdx.x : whole + left;
        const int begin = at - left * k_tiles;
        const int count = min(end - at, k_tiles - begin);
        const Part part = {tile / tiles_x * BM, tile % tiles_x * BN, begin * BK, min(K, (begin + count) * BK)};
        auto place = [&](int copy) {
            if (share < 0) {
                float* to = C_of[copy] + (size_t)(first + part.row0) * N + part.col0;
                return Place{to, N, M - part.row0, N - part.col0};
            }
            return Place{parts + (size_t)(share + left) * BM * BN, BN, BM, BN};
        };
        const int places = share < 0 ? world : 1;
        if (aligned && part.row0 + BM <= M && part.col0 + BN <= N) {
            multiply<true>(pool, A, B, M, N, K, part, places, place);
        } else {
            multiply<false>(pool, A, B, M, N, K, part, places, place);
        }
        if (share < 0) {
            tell(flags_of, tile0 + tile, PIECES, rank, world);
        }
        at += count;
        if (at < end) {
            __syncthreads();  // write after read: the next part fills the stages
        }
    }
}

// Adds what `large` left in `parts`, in the order of k: so the result does not change from run to run. One row of blocks
// a tile; a thread adds one element, and stores it into the C of every device.
extern "C" __global__ void __launch_bounds__(ADDED)
add(const float* parts, float* const* C_of, unsigned* const* flags_of, int M, int N, int K, int first, int tile0,
    int rank, int world, int whole, int steps)
{
    const int tiles_x = (N + BN - 1) / BN;
    const int k_tiles = (K + BK - 1) / BK;
    const int left = blockIdx.y;
    const int tile = whole + left;
    const int from = left * k_tiles / steps, last = (left * k_tiles + k_tiles - 1) / steps;
    const int at = blockIdx.x * ADDED + threadIdx.x;
    const int row = tile / tiles_x * BM + at / BN, col = tile % tiles_x * BN + at % BN;
    if (row < M && col < N) {
        float sum = 0.0f;
#pragma unroll 8
        for (int share = from; share <= last; ++share) {
            sum += parts[(size_t)(share + left) * BM * BN + at];
        }
        for (int peer = 0; peer < world; ++peer) {
            C_of[peer][(size_t)(first + row) * N + col] = sum;
        }
    }
    tell(flags_of, tile0 + tile, 1, rank, world);
}

// Ends when all tiles of C have arrived, of which there are `tiles`; this device's own are the `own` from tile0 on.
extern "C" __global__ void __launch_bounds__(WAITERS) await_tiles(unsigned* flags, int tiles, int tile0, int own)
{
    for (int tile = threadIdx.x; tile < tiles; tile += WAITERS) {
        if (tile >= tile0 && tile < tile0 + own) continue;
        while (atomicAdd_system(&flags[tile], 0u) < PIECES) {
        }
        atomicExch_system(&flags[tile], 0u);
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
        const int mine = tiles_x * ((rows + BM - 1) / BM);
        const int k_tiles = (K + BK - 1) / BK;
        int shared = mine % SMS;  // tiles of the last wave
        if ((SMS - shared) * k_tiles < SAVES * SMS) {
            shared = 0;
        }
        const int whole = mine - shared;
        const int steps = shared > 0 ? (shared * k_tiles + SMS - 1) / SMS : 1;
        const int shares = (shared * k_tiles + steps - 1) / steps;
        float* parts = nullptr;
        if (shared > 0) {
            cudaMalloc(&parts, (size_t)(shares + shared) * BM * BN * sizeof(float));
        }
        const int bytes = STAGES * BK * (BM + PAD + BN) * (int)sizeof(float);
        cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
        large<<<whole + shares, THREADS, bytes>>>(A, B, C_of, flags_of, parts, rows, N, K, first, rank * own, rank,
                                                  world, whole, steps);
        if (shared > 0) {
            add<<<dim3(PIECES, shared), ADDED>>>(parts, C_of, flags_of, rows, N, K, first, rank * own, rank, world,
                                                 whole, steps);
        }
        cudaFree(parts);
    }
    // The bands that are whole, and the rest.
    const int tiles = M / band * own + (M % band + BM - 1) / BM * tiles_x;
    await_tiles<<<1, WAITERS>>>(flags, tiles, rank * own, own);
}
