"""Mutants that are as right as the kernel they come from, and why: by kernel and mutant. One is not, and says so."""

from __future__ import annotations

# Reasons that come again and again.
ZEROS = "the turn more finds K at its end and multiplies zeros"
PADDING = "only the padding shrinks, and no index reaches it"
SAME_VALUE = "more threads store, all of them the same value"
NEVER_USED = "the slots that are left alone meet a zero of the other matrix, or are not used at all"
NO_TILE = "a tile more is taken, which lies outside of C"
STORE_GUARDED = "threads outside of C compute a sum as well, which the store's own guard keeps back"
LATER_GUARDS = "a block outside of C stays, and its loads and its store are guarded"
PRINTED = "it only changes what is printed"
ALIGNED = "the executors align A, B and C themselves"
NEVER_EQUAL = "c and cols are multiples of 4 there, so that c + 3 is never cols"
LARGER = "the array is larger than the shapes need"
NOT_SEEN = "not as right, but not seen: a fence counts for all lanes of its warp (gemmlab/emulator/orders.py)"
TOO_MUCH = "one thread copies more, into the padding"

ROWS_ALIGNED = "return reinterpret_cast<size_t>(X) % 16 == 0 && cols % 4 == 0;"
FOUR_INSIDE = (
    "bound: if (r < rows && c + 3 < cols && cols % 4 == 0) { => if (r < rows && c + 3 <= cols && cols % 4 == 0) {"
)
PRINTS = r'if (row + col == 0) printf("%d rows, the %s element is %5.2f\n", M, "first", A[0]);'


def tile_loop(step: str, start: str = "int k0 = 0", brace: str = " {") -> str:
    """The mutant of a loop over the K tiles that takes a turn more."""
    return f"bound: for ({start}; k0 < K; k0 += {step}){brace} => for ({start}; k0 <= K; k0 += {step}){brace}"


def more_than_one_thread(then: str) -> list[str]:
    """The mutants in which more threads than (0, 0) do `then`."""
    before, x, y = (
        f"if ({test}){then}"
        for test in ("threadIdx.x == 0 && threadIdx.y == 0", "threadIdx.x == 0", "threadIdx.y == 0")
    )
    twice = (f"if (threadIdx.{axis} == 0 && threadIdx.{axis} == 0){then}" for axis in "xy")
    return [*(f"guard: {before} => {after}" for after in (x, y)), *(f"index: {before} => {after}" for after in twice)]


EQUIVALENT: dict[str, dict[str, str]] = {
    **{
        name: {tile_loop("16"): ZEROS}
        for name in (
            "barrier_in_a_helper",
            "barriers_that_count",
            "bfloat16_tiles",
            "block_barrier_with_a_count",
            "cooperative_groups_block",
            "double_tiles",
            "fragment_prefetched_and_not_used",
            "generic_pointers",
            "half2_reads_what_two_threads_wrote",
            "half_tiles",
            "half_warps_with_their_own_masks",
            "pointer_beyond_the_end_not_read",
            "reads_a_word_by_bytes",
            "shared_memory_reused_for_c",
            "uniform_if_around_barrier",
            "wide_cp_async_where_aligned",
            "wmma_half_whole_tiles",
        )
    },
    **{name: {tile_loop("TILE"): ZEROS} for name in ("02_tiled_fma", "03_two_barriers", "04_ragged_edges")},
    **{name: {tile_loop("BK"): ZEROS} for name in ("05_register_1d", "06_register_2d")},
    "07_vector_and_banks": {
        tile_loop("BK"): ZEROS,
        f"guard: {ROWS_ALIGNED} => return cols % 4 == 0;": ALIGNED,
    },
    **{
        name: {
            f"guard: {ROWS_ALIGNED} => return cols % 4 == 0;": ALIGNED,
            "bound: if (k0 + BK < K) { => if (k0 + BK <= K) {": "a tile of zeros is copied that nobody multiplies",
        }
        for name in ("08_double_buffer", "09_warp_tile_autotune", "12_fused_epilogue")
    },
    **{
        f"14_claims_clinic/{name}": {tile_loop("TILE"): ZEROS}
        for name in ("barrier_in_if", "coarsened", "one_barrier", "store_loop")
    },
    "14_claims_clinic/float4_tile": {
        tile_loop("TILE"): ZEROS,
        FOUR_INSIDE: NEVER_EQUAL,
        "bound: if (tx < TILE / 4) { => if (tx <= TILE / 4) {": TOO_MUCH,
    },
    "14_claims_clinic/float4_transposed": {
        tile_loop("TILE"): ZEROS,
        FOUR_INSIDE: NEVER_EQUAL,
        "extent: __shared__ float As[TILE][TILE + PAD]; => __shared__ float As[TILE][TILE + PAD - 1];": PADDING,
        "extent: __shared__ float Bs[TILE][TILE + PAD]; => __shared__ float Bs[TILE][TILE + PAD - 1];": PADDING,
    },
    "a_tile_stored_transposed": {
        "extent: __shared__ float At[16][17], Bs[16][16]; => __shared__ float At[16][17 - 1], Bs[16][16];": PADDING,
        "bound: } while ((k0 += 16) < K); => } while ((k0 += 16) <= K);": ZEROS,
    },
    "all_write_the_same_flag": {
        tile_loop("16"): ZEROS,
        "guard: if (tx == 0 && ty == 0) any = 0; => if (tx == 0) any = 0;": SAME_VALUE,
        "guard: if (tx == 0 && ty == 0) any = 0; => if (ty == 0) any = 0;": SAME_VALUE,
        "index: if (tx == 0 && ty == 0) any = 0; => if (ty == 0 && ty == 0) any = 0;": SAME_VALUE,
        "index: if (tx == 0 && ty == 0) any = 0; => if (tx == 0 && tx == 0) any = 0;": SAME_VALUE,
    },
    "atomic_add_in_shared_memory": {
        "index: if (threadIdx.x == 0) sum = 0.0f; => if (threadIdx.y == 0) sum = 0.0f;": SAME_VALUE,
        "index: if (threadIdx.x == 0) C[blockIdx.y * N + blockIdx.x] = sum; "
        "=> if (threadIdx.y == 0) C[blockIdx.y * N + blockIdx.x] = sum;": SAME_VALUE,
    },
    "cp_async_three_stages_ragged": {
        "extent: __shared__ float As[STAGES][TILE][TILE + 1], Bs[STAGES][TILE][TILE]; "
        "=> __shared__ float As[STAGES][TILE][TILE + 1 - 1], Bs[STAGES][TILE][TILE];": PADDING,
    },
    "cp_async_two_stages_ragged": {
        tile_loop("TILE"): ZEROS,
        "bound: if (k0 + TILE < K) { => if (k0 + TILE <= K) {": "a tile of zeros is copied that nobody multiplies",
    },
    "double_buffer_one_barrier": {
        "bound: if (t + 1 < tiles) fill(now ^ 1, (t + 1) * 16); => if (t + 1 <= tiles) fill(now ^ 1, (t + 1) * 16);": (
            "a tile of zeros is filled that nobody multiplies"
        ),
    },
    "double_sum_and_constant_memory": {tile_loop("4", brace=""): ZEROS},
    "dynamic_64_kib_with_opt_in": {tile_loop("128"): ZEROS},
    "float4_shared_padded_by_four": {
        tile_loop("16"): ZEROS,
        "extent: __shared__ float As[16][16 + 4]; => __shared__ float As[16][16 + 4 - 1];": PADDING,
        "bound: for (int j = 0; j < 4; ++j) => for (int j = 0; j <= 4; ++j)": SAME_VALUE,
    },
    "grid_stride_over_tiles": {
        tile_loop("16"): ZEROS,
        "bound: for (int tile = blockIdx.x; tile < across * down; tile += gridDim.x) { "
        "=> for (int tile = blockIdx.x; tile <= across * down; tile += gridDim.x) {": NO_TILE,
    },
    "int4_copies": {
        tile_loop("16"): ZEROS,
        "fill: As[ty][tx] = row < M && k0 + tx < K ? A[row * K + k0 + tx] : 0.0f; "
        "=> if (row < M && k0 + tx < K) As[ty][tx] = A[row * K + k0 + tx];": NEVER_USED,
    },
    "k_smaller_than_the_tile": {
        tile_loop("16"): ZEROS,
        "guard: if (row < M && col < N) => if (row < M)": STORE_GUARDED,
        "guard: if (row < M && col < N) => if (col < N)": STORE_GUARDED,
        "bound: if (row < M && col < N) => if (row <= M && col < N)": STORE_GUARDED,
        "bound: if (row < M && col < N) => if (row < M && col <= N)": STORE_GUARDED,
    },
    "one_dimensional_block": {tile_loop("DEPTH"): ZEROS},
    "prints_a_line": {
        f"index: {PRINTS} => {PRINTS.replace(name, other, 1)}": PRINTED
        for name, other in (("row +", "col +"), ("+ col", "+ row"), (" M,", " N,"), (" M,", " K,"))
    },
    "register_prefetch": {
        tile_loop("16"): ZEROS,
        "fill: a = row < M && next + tx < K ? A[row * K + next + tx] : 0.0f; "
        "=> if (row < M && next + tx < K) a = A[row * K + next + tx];": NEVER_USED,
        "fill: b = next + ty < K && col < N ? B[(next + ty) * N + col] : 0.0f; "
        "=> if (next + ty < K && col < N) b = B[(next + ty) * N + col];": NEVER_USED,
    },
    "register_tile_1d": {tile_loop("BK"): ZEROS},
    "register_tile_2d": {tile_loop("BK"): ZEROS},
    "shuffle_broadcast": {tile_loop("32"): ZEROS},
    "struct_copied_as_bytes": {
        tile_loop("16"): ZEROS,
        "extent: float value[4]; => float value[4 - 1];": "the struct stays 16 bytes long, and value[3] lies in it",
        "fill: for (int j = 0; j < 4; ++j) mine.value[j] = k0 + ty < K && col + j < N ? B[(k0 + ty) * N + col + j] "
        ": 0.0f; => for (int j = 0; j < 4; ++j) if (k0 + ty < K && col + j < N) mine.value[j] = B[(k0 + ty) * N + col "
        "+ j];": NEVER_USED,
    },
    "producer_arrives_consumer_waits": {
        tile_loop("32"): ZEROS,
        "fill: strip[lane] = k0 + lane < K ? A[row * K + k0 + lane] : 0.0f; "
        "=> if (k0 + lane < K) strip[lane] = A[row * K + k0 + lane];": NEVER_USED,
    },
    "spin_lock_in_shared_memory": {
        **dict.fromkeys(more_than_one_thread(" C[row * N + col] = sum;"), SAME_VALUE),
        **dict.fromkeys(more_than_one_thread(" {"), SAME_VALUE),
    },
    "last_block_adds_the_parts": {
        "extent: __device__ float parts[3][64][64]; => __device__ float parts[3][64 - 1][64];": LARGER,
        "extent: __device__ float parts[3][64][64]; => __device__ float parts[3][64][64 - 1];": LARGER,
        "extent: __device__ unsigned int finished[4][4]; => __device__ unsigned int finished[4 - 1][4];": LARGER,
        "extent: __device__ unsigned int finished[4][4]; => __device__ unsigned int finished[4][4 - 1];": LARGER,
    },
    "blocks_take_turns": {
        "extent: __device__ int turn[8][8]; => __device__ int turn[8 - 1][8];": LARGER,
        "extent: __device__ int turn[8][8]; => __device__ int turn[8][8 - 1];": LARGER,
        **dict.fromkeys(more_than_one_thread(""), SAME_VALUE),
        **dict.fromkeys(more_than_one_thread(" atomicExch(semaphore, (part + 1) % gridDim.z);"), SAME_VALUE),
    },
    "warps_wait_for_a_flag": {
        "extent: __shared__ volatile float row_of_A[64]; => __shared__ volatile float row_of_A[64 - 1];": LARGER,
        "guard: if (threadIdx.y == 1 && lane == 0) ready = 0; => if (lane == 0) ready = 0;": SAME_VALUE,
        "guard: if (threadIdx.y == 1 && lane == 0) ready = 0; => if (threadIdx.y == 1) ready = 0;": SAME_VALUE,
        "wait: __syncwarp(); => ;": NOT_SEEN,
    },
    "spin_lock_by_every_thread": {
        "index: if (threadIdx.x == 0) { => if (threadIdx.y == 0) {": SAME_VALUE,
        "index: if (threadIdx.x == 0) C[blockIdx.y * N + blockIdx.x] = sum; "
        "=> if (threadIdx.y == 0) C[blockIdx.y * N + blockIdx.x] = sum;": SAME_VALUE,
    },
    "swizzled_tile": {
        tile_loop("16"): ZEROS,
        "index: __device__ __forceinline__ int swizzle(int i, int j) { return i * 16 + (j ^ i); } "
        "=> __device__ __forceinline__ int swizzle(int i, int j) { return j * 16 + (j ^ i); }": (
            "another place for each element, and still one of its own"
        ),
    },
    "syncwarp_in_a_warp_of_four": {
        tile_loop("lanes"): ZEROS,
        "fill: strip[warp][lane] = k0 + lane < K ? A[row * K + k0 + lane] : 0.0f; "
        "=> if (k0 + lane < K) strip[warp][lane] = A[row * K + k0 + lane];": NEVER_USED,
    },
    "templates_and_namespaces": {
        "extent: T data[SIDE][SIDE + 1]; => T data[SIDE][SIDE + 1 - 1];": PADDING,
        "bound: for (int t = 0; t < ceil_div(K, SIDE); ++t) { => for (int t = 0; t <= ceil_div(K, SIDE); ++t) {": ZEROS,
    },
    "ten_by_ten_threads": {tile_loop("10"): ZEROS},
    "three_dimensional_block": {
        tile_loop("16"): ZEROS,
        "guard: if (z == 0 && row < M && col < N) => if (row < M && col < N)": SAME_VALUE,
    },
    "three_threads_read_one_warp_writes": {
        tile_loop("32"): ZEROS,
        "fill: strips[(w + 1) % 4][lane] = from < M && k0 + lane < K ? A[from * K + k0 + lane] : 0.0f; "
        "=> if (from < M && k0 + lane < K) strips[(w + 1) % 4][lane] = A[from * K + k0 + lane];": NEVER_USED,
    },
    "tickets_for_tiles": {
        tile_loop("16"): ZEROS,
        "bound: if (mine >= across * down) break; => if (mine > across * down) break;": NO_TILE,
    },
    "uniform_break_between_barriers": {
        "bound: if (tx + ty == 0) done = k0 + 16 >= K; => if (tx + ty == 0) done = k0 + 16 > K;": ZEROS,
    },
    "volatile_with_syncwarp": {
        "guard: if (lane == 0 && row < M) C[row * N + col] = part[w][0]; "
        "=> if (row < M) C[row * N + col] = part[w][0];": SAME_VALUE,
    },
    "votes_of_a_warp": {tile_loop("32"): ZEROS},
    "warp_private_rows": {
        "bound: for (int k0 = 0, turn = 0; k0 < K; k0 += 32, turn ^= 1) { "
        "=> for (int k0 = 0, turn = 0; k0 <= K; k0 += 32, turn ^= 1) {": ZEROS,
        "fill: strip[w][turn][lane] = k0 + lane < K ? A[row * K + k0 + lane] : 0.0f; "
        "=> if (k0 + lane < K) strip[w][turn][lane] = A[row * K + k0 + lane];": NEVER_USED,
    },
    "whole_blocks_return_early": {
        tile_loop("16"): ZEROS,
        "guard: if (blockIdx.y * 16 >= M || blockIdx.x * 16 >= N) return; => if (blockIdx.y * 16 >= M) return;": (
            LATER_GUARDS
        ),
        "guard: if (blockIdx.y * 16 >= M || blockIdx.x * 16 >= N) return; => if (blockIdx.x * 16 >= N) return;": (
            LATER_GUARDS
        ),
        "bound: if (blockIdx.y * 16 >= M || blockIdx.x * 16 >= N) return; "
        "=> if (blockIdx.y * 16 > M || blockIdx.x * 16 >= N) return;": LATER_GUARDS,
        "bound: if (blockIdx.y * 16 >= M || blockIdx.x * 16 >= N) return; "
        "=> if (blockIdx.y * 16 >= M || blockIdx.x * 16 > N) return;": LATER_GUARDS,
    },
    "zeroed_then_added_by_atomics": {
        "guard: if (inside && threadIdx.z == 0) C[row * N + col] = 0.0f; => if (inside) C[row * N + col] = 0.0f;": (
            SAME_VALUE
        ),
    },
}
