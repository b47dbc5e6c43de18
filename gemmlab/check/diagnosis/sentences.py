"""What wrong numbers tell, and what to look at.

SLIPS are named by what was computed, PLACES by where the wrong elements are; the fields of the latter are those of
`places.FIELDS`.
"""

from __future__ import annotations

from gemmlab.sentence import Sentence

# The usual slips, each of which gives this very C.
SLIPS: dict[str, Sentence] = {
    "no_epilogue": Sentence(
        "C holds A times B and nothing else: what the epilogue makes of the sums never reaches the store."
    ),
    "no_activation": Sentence("C holds the sums without SiLU: apply it to each sum before it is stored."),
    "sigmoid_alone": Sentence(
        "C holds the sigmoid of each sum: SiLU is the sum itself times its sigmoid, x / (1 + exp(-x))."
    ),
    "rectified": Sentence("C holds max(x, 0) of each sum x, which is ReLU: SiLU is x / (1 + exp(-x))."),
    "sigmoid_of_minus": Sentence(
        "C holds x / (1 + exp(x)): the sign in the exponent is wrong; SiLU is x / (1 + exp(-x))."
    ),
    "product_for_sum": Sentence(
        "The sigmoid is right, but its factor is the product alone: SiLU takes the same x twice, with bias and old C."
    ),
    "no_bias": Sentence("The bias is missing: add bias[col] to each sum before SiLU."),
    "bias_subtracted": Sentence("The bias is subtracted from each sum instead of added."),
    "bias_twice": Sentence("The bias is in each sum two times: add it once, in the epilogue."),
    "bias_of_row": Sentence(
        "Each row of C got a bias of its own: the bias has one value for each column of C, so index it with the column."
    ),
    "bias_in_each_tile": Sentence(
        "The bias is added once for each K tile: it belongs to the whole sum, so add it after the last tile."
    ),
    "bias_after_activation": Sentence(
        "The bias is added after SiLU: it belongs to the sum, so add it before SiLU is applied."
    ),
    "old_after_activation": Sentence(
        "What C held is added after SiLU: beta times the old C belongs to the sum, so add it before SiLU is applied."
    ),
    "activation_in_each_tile": Sentence(
        "SiLU is applied to the running sum after each K tile: it is not linear, so the SiLU of a part is no part of "
        "the SiLU; apply it once, after the last tile."
    ),
    "no_alpha": Sentence("The product is not multiplied by alpha."),
    "alpha_on_bias": Sentence("The bias is multiplied by alpha too: alpha is a factor of the product alone."),
    "alpha_on_sum": Sentence("Bias and old C are multiplied by alpha too: alpha is a factor of the product alone."),
    "alpha_on_result": Sentence(
        "alpha is multiplied on after SiLU: it is a factor of the product, and SiLU is not linear."
    ),
    "no_old_C": Sentence("What C held before is missing: where beta is not 0, add beta times C to each sum."),
    "no_beta": Sentence("What C held before is added without its factor beta."),
    "alpha_for_beta": Sentence("What C held before is multiplied by alpha: its factor is beta."),
    "zero": Sentence(
        "Every element of C is 0: the products never reach the sum that is stored; look at the multiply-add, at the "
        "type of the sum, which must be float, and at what is stored."
    ),
    "whole_sum": Sentence(
        "Each product loses its fraction when it is added: the running sum, or the product, is a whole number such as "
        "int; both must be floats, as in float acc = 0.0f."
    ),
    "whole_result": Sentence(
        "C holds A times B without the fractions: the sum goes through a whole number such as int before it is stored; "
        "it must stay a float."
    ),
    "sum_for_product": Sentence(
        "C holds sums of a + b instead of a * b: the two elements must be multiplied before they are added to the "
        "running sum."
    ),
    "difference_for_product": Sentence(
        "C holds sums of a - b instead of a * b: the two elements must be multiplied before they are added to the "
        "running sum."
    ),
    "minus": Sentence(
        "C is exactly the negative of A times B: the products are subtracted from the running sum instead of added."
    ),
    "twice": Sentence("C is exactly twice A times B: every product is added two times."),
    "only_A": Sentence("C holds sums of elements of A alone: the element of B is missing in the multiply-add."),
    "only_B": Sentence("C holds sums of elements of B alone: the element of A is missing in the multiply-add."),
    "A_squared": Sentence("C holds sums of squares of A: one factor of the multiply-add must come from B."),
    "B_squared": Sentence("C holds sums of squares of B: one factor of the multiply-add must come from A."),
    "last_k_of_padded_tile": Sentence(
        "C holds only the product of the last k of the last tile: each product replaces the running sum; add it with "
        "+= instead of =."
    ),
    "last_k": Sentence(
        "C holds only the product of the last k: each product replaces the running sum; add it with += instead of =."
    ),
    "last_k_of_each_tile": Sentence(
        "C holds only the last product of each K tile: inside a tile each product replaces the one before; add it with "
        "+=."
    ),
    "first_k_of_each_tile": Sentence(
        "C holds only the first product of each K tile: the loop over k inside the tile must run through the whole "
        "tile."
    ),
    "without_last_k": Sentence("The product of the last k is missing: a bound on k is one too small."),
    "without_first_k": Sentence("The product of k = 0 is missing: the loop over k must start at 0."),
    "without_last_k_of_each_tile": Sentence(
        "The last product of each K tile is missing: the loop over k inside the tile ends one step early."
    ),
    "without_first_k_of_each_tile": Sentence(
        "The first product of each K tile is missing: the loop over k inside the tile must start at 0."
    ),
    "only_last_tile": Sentence(
        "C holds only what the last K tile gives: the running sum starts anew with each tile; set it to 0 once, before "
        "the loop."
    ),
    "only_first_tile": Sentence(
        "C holds only what the first K tile gives: the loop over the K tiles ends too early, or its result is stored "
        "too early."
    ),
    "without_last_tile": Sentence(
        "What the last K tile gives is missing: the loop over the K tiles ends one step early."
    ),
    "without_first_tile": Sentence(
        "What the first K tile gives is missing: the loop over the K tiles must start at tile 0."
    ),
    "tail_dropped": Sentence(
        "The products of the last, partial K tile are missing: the number of K tiles is rounded down; it is K / TILE "
        "rounded up."
    ),
    "every_second_tile": Sentence(
        "Every second K tile is left out: the loop over the K tiles must move on by one tile a turn."
    ),
    "tiles_overlap": Sentence(
        "Products are added twice: the loop over the K tiles moves on by half a tile a turn instead of a whole one."
    ),
    "clamped_k": Sentence(
        "In the last, partial K tile the last elements of A and B are added again and again: where the tile leaves the "
        "matrix it needs 0, not a clamped index."
    ),
    "stale_tail": Sentence(
        "In the last, partial K tile the values of the tile before are used again: slots outside A and B must be "
        "filled with 0."
    ),
    "last_tile_from_other_buffer": Sentence(
        "With an odd number of K tiles the last one is taken from the wrong buffer: the buffer to read alternates with "
        "the tile."
    ),
    "first_tile_every_turn": Sentence(
        "Every turn multiplies the first pair of tiles again: the buffer to read must change from turn to turn."
    ),
    "each_tile_a_turn_late": Sentence(
        "The first pair of tiles is multiplied twice and the last never: the copies that a turn starts must be those "
        "of the next k0, not of its own."
    ),
    "first_of_four_wide": Sentence(
        "Where rows are a multiple of 4 long, only the first of each four neighbours arrives: the wide access must "
        "take all four."
    ),
    "first_of_four_narrow": Sentence(
        "Where rows are no multiple of 4 long, only the first of each four neighbours arrives: the path without wide "
        "accesses must take all of the four that lie inside the row."
    ),
    "whole_fours_only": Sentence(
        "Where rows are no multiple of 4 long, the last one to three elements of a row are left out: of four "
        "neighbours that hang over the end, those inside still count."
    ),
    "C_transposed": Sentence("C is stored transposed: element (row, col) belongs at C[row * N + col]."),
    "row_col_swapped": Sentence(
        "C is the transposed product: row and col are swapped where A and B are read, or where C is stored."
    ),
    "A_transposed": Sentence("A is read transposed: element (row, k) is A[row * K + k]."),
    "B_transposed": Sentence("B is read transposed: element (k, col) is B[k * N + col]."),
    "A_and_B_transposed": Sentence(
        "A and B are both read transposed: element (row, k) is A[row * K + k] and element (k, col) is B[k * N + col]."
    ),
    "row_for_col": Sentence("All elements of a row of C are equal: the column of B is chosen by row instead of col."),
    "col_for_row": Sentence("All elements of a column of C are equal: the row of A is chosen by col instead of row."),
    "A_pitch_M": Sentence("A is read with rows of M elements; a row of A has K: A[row * K + k]."),
    "A_pitch_N": Sentence("A is read with rows of N elements; a row of A has K: A[row * K + k]."),
    "B_pitch_K": Sentence("B is read with rows of K elements; a row of B has N: B[k * N + col]."),
    "B_pitch_M": Sentence("B is read with rows of M elements; a row of B has N: B[k * N + col]."),
    "A_rows_of_first_block": Sentence(
        "Every block reads the first rows of A: the block's offset blockIdx.y * TILE is missing in the row."
    ),
    "B_columns_of_first_block": Sentence(
        "Every block reads the first columns of B: the block's offset blockIdx.x * TILE is missing in the column."
    ),
    "A_first_tile_again": Sentence(
        "Every K tile reads the first tile of A again: the tile's offset along K is missing in the index of A."
    ),
    "B_first_tile_again": Sentence(
        "Every K tile reads the first tile of B again: the tile's offset along K is missing in the index of B."
    ),
}
WRONG_INDICES_OF_ONE = Sentence(
    "C holds the sums of {a} * {b}: look at the indices of {tile}, where the tile is filled and where it is read; k "
    "walks along a row of As and down a column of Bs."
)
WRONG_INDICES_OF_BOTH = Sentence(
    "C holds the sums of {a} * {b}: look at the indices of As and Bs, where the tiles are filled and where they are "
    "read; k walks along a row of As and down a column of Bs."
)

# Where the wrong elements are. The telling ones come first in places.py.
PLACES: dict[str, Sentence] = {
    "nothing_written": Sentence("No element of C was written: look at the store to C, at its guard and at the grid."),
    "one_tile": Sentence(
        "Only the first tile of C was written at M, N, K = {M}, {N}, {K}: row needs the offset of blockIdx.y and col "
        "that of blockIdx.x, or the grid is one block."
    ),
    "grid_swapped": Sentence(
        "{missing} of C were never written at M, N, K = {M}, {N}, {K}: x and y are swapped; blockIdx.x must walk along "
        "the columns (N) and blockIdx.y along the rows (M)."
    ),
    "rounded_down": Sentence(
        "{missing} of C were never written at M, N, K = {M}, {N}, {K}: the last, partial tiles are left out; round the "
        "number of blocks up, or widen the guard of the store."
    ),
    "one_short": Sentence(
        "{missing} of C were never written at M, N, K = {M}, {N}, {K}: the guard of the store is one too strict; it is "
        "row < M and col < N."
    ),
    "corner": Sentence(
        "{missing} of C were never written at M, N, K = {M}, {N}, {K}: look at the grid and at the guard of the store."
    ),
    "diagonal": Sentence(
        "Only the diagonal of each tile of C was written at M, N, K = {M}, {N}, {K}: row and col come from the same "
        "thread index; take one from threadIdx.x, the other from threadIdx.y."
    ),
    "holes": Sentence(
        "{holes} of {size} elements of C were never written at M, N, K = {M}, {N}, {K}: look at the guard of the store "
        "and at its index."
    ),
    "last_rows": Sentence(
        "Only the last row of tiles of C is wrong at M, N, K = {M}, {N}, {K}: look at the guards against M."
    ),
    "last_columns": Sentence(
        "Only the last column of tiles of C is wrong at M, N, K = {M}, {N}, {K}: look at the guards against N."
    ),
    "edges": Sentence(
        "Only the partial tiles at the edges of C are wrong at M, N, K = {M}, {N}, {K}: look at the guards against M "
        "and N."
    ),
    "nan": Sentence(
        "{nans} of {size} elements of C hold NaN at M, N, K = {M}, {N}, {K}: a value in their sums was never set, or "
        "read where nothing was written."
    ),
    "never_added": Sentence(
        "{zeros} of {size} elements of C are 0 at M, N, K = {M}, {N}, {K}: nothing but zeros was added to their sums; "
        "look at the loops over the sums of a thread, and at what fills the tiles."
    ),
    "rough": Sentence(
        "C is right to a few digits only at M, N, K = {M}, {N}, {K}: factors or sums are kept in fewer bits than a "
        "float has."
    ),
    "moved_row": Sentence(
        "{here} holds the value of {there}, and so on at M, N, K = {M}, {N}, {K}: a thread multiplies for one row and "
        "stores to another; look at the indices of the tiles and of C."
    ),
    "moved_column": Sentence(
        "{here} holds the value of {there}, and so on at M, N, K = {M}, {N}, {K}: a thread multiplies for one column "
        "and stores to another; look at the indices of the tiles and of C."
    ),
    "moved": Sentence(
        "{here} holds the value of {there}, and so on at M, N, K = {M}, {N}, {K}: a thread multiplies for one row and "
        "column and stores to another; look at the indices of the tiles and of C."
    ),
    "same_offset": Sentence(
        "Every element of C is off by the same amount at M, N, K = {M}, {N}, {K}: the running sum must start at 0 and "
        "take products only."
    ),
    "ragged_k": Sentence(
        "C is right where K is a multiple of {tile_k} and wrong where it is not at M, N, K = {M}, {N}, {K}: look at "
        "the guards against K, and fill the slots of a tile that lie outside A or B with 0."
    ),
    "everywhere": Sentence(
        "C is wrong nearly everywhere and in every case: the mistake is in the sum itself; look at the multiply-add "
        "and at the indices of A, B and the tiles."
    ),
    "same_places": Sentence(
        "The same places of every tile of C are wrong at M, N, K = {M}, {N}, {K}, the first at row {ty}, column {tx} "
        "of the tile: look at what depends on tx and ty, not on the block."
    ),
    "some": Sentence(
        "{wrong} of {size} elements of C are wrong at M, N, K = {M}, {N}, {K}: follow the sum of one of them by hand."
    ),
}

# The rows and columns of C that were never written.
ROWS_MISSING = Sentence("Rows from {row} on")
COLUMNS_MISSING = Sentence("Columns from {column} on")
ROWS_AND_COLUMNS_MISSING = Sentence("Rows from {row} on and columns from {column} on")

# What follows a pattern: one wrong element.
WITH_EXAMPLE = Sentence("{pattern} C[{row}][{column}] is {got} and should be {right}.")
NARROW = Sentence(
    "C holds only numbers that {element} has: the sums, or C itself, go through that type on the way; sums of "
    "{element} products belong in float, from the first product to the store."
)
WITH_EXAMPLE_AT = Sentence("{pattern} At M, N, K = {M}, {N}, {K}, C[{row}][{column}] is {got} and should be {right}.")
FAULT_FIRST_IN_ONE_CASE = Sentence("C is wrong in 1 case: mend the fault found there first, then check again.")
FAULT_FIRST = Sentence("C is wrong in {cases} cases: mend the fault found there first, then check again.")
RACE_FIRST_IN_ONE_CASE = Sentence(
    "C is wrong in 1 case, by the order in which the emulator lets the threads run; any other order, such as a GPU's "
    "or a time line's, makes other elements wrong, or none. Mend the race first, then check again."
)
RACE_FIRST = Sentence(
    "C is wrong in {cases} cases, by the order in which the emulator lets the threads run; any other order, such as a "
    "GPU's or a time line's, makes other elements wrong, or none. Mend the race first, then check again."
)

# A launch whose blocks do not fit the kernel.
BLOCK_DOES_NOT_FIT = Sentence(
    "The launch does not fit the file: a block of {block} threads computes {rows}×{columns} elements of C, but the "
    "next block begins after {wanted_rows}×{wanted_columns}. Give the launch the blocks that the file's #define asks "
    "for, or change the #define."
)
THREADS_DO_NOT_FIT = Sentence(
    "The launch does not fit the file: a block of {block} has {threads} threads, but the file's #define lines, "
    "{sizes}, ask for {wanted}. Give the launch such blocks, or change the #define lines."
)

# A batch of products.
BATCH_OF_ONE = Sentence(
    "Of the {count} products of the batch only the first is right: move A, B and C on by blockIdx.z times the stride "
    "of each."
)
WHOLE_BATCH = Sentence(
    "All {count} products of the batch are wrong: look at a single product first, with a batch of 1."
)
PART_OF_BATCH = Sentence(
    "Of the {count} products of the batch {wrong} are wrong, the first of them is number {first}: look at the strides, "
    "and at the grid's third dimension."
)
