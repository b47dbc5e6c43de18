"""What the emulator says of a kernel's faults.

Fields: `me` and `other` are threads such as 'thread (3,1)' by threadIdx, `block` is such as 'block (0,1)'; `element`
is As[1][0] or the like, `array` its name; `here` and `there` are places such as '(line 24, K tile 1)'.
"""

from __future__ import annotations

from gemmlab.sentence import Sentence

# ---- places

AT_LINE = Sentence("(line {line})")
AT_LINE_IN_TILE = Sentence("(line {line}, K tile {tile})")
AT_UNKNOWN = Sentence("(line unknown)")
THREAD = Sentence("thread {where}")
BLOCK = Sentence("block {where}")
BYTE_OF_ARRAY = Sentence("byte {offset} of {array}")
BYTE_OF_LOCAL_MEMORY = Sentence("byte {offset} of its local memory")
MEMORY = Sentence("memory")

# ---- races in shared memory

FIRST_BARRIER_MISSING = Sentence(
    "{me} reads {element} {here} while {other} may not have written it yet {there}: the first __syncthreads() is "
    "missing, between filling the tile and using it (read after write)."
)
SECOND_BARRIER_MISSING = Sentence(
    "{me} may overwrite {element} {here} while {other} still reads it {there}: the second __syncthreads() is missing, "
    "between the last read of the tile and its next write (write after read)."
)
READ_TOO_EARLY = Sentence(
    "{me} reads {element} {here} while {other} may not have written it yet {there}: a __syncthreads() is missing, "
    "between filling the tile and using it (read after write)."
)
OVERWRITTEN_TOO_EARLY = Sentence(
    "{me} may overwrite {element} {here} while {other} still reads it {there}: a __syncthreads() is missing, between "
    "the last read of the tile and its next write (write after read)."
)
READ_IN_ANOTHER_BUFFER = Sentence(
    "{me} reads {element} {here} while {other} may still be writing it {there}, in the same turn of the loop (read "
    "after write): what a turn fills must be the buffer that it does not read, else a __syncthreads() is missing "
    "between the two."
)
WAITED_FOR_TOO_LATE = Sentence(
    "{me} reads {element} {here} while {other} may not be done with its asynchronous copy {there} (read after write): "
    "the thread that copies must wait for it first, __pipeline_wait_prior (cp.async.wait_group), and the "
    "__syncthreads() must come after that wait, before the tile is read."
)
READ_PAST_A_BARRIER = Sentence(
    "{me} reads {element} {here} while {other} may not have written it yet {there} (read after write). The "
    "__syncthreads() in line {barrier} stands between the two, but does not order them: every thread of the block must "
    "go through it in the same turn."
)
OVERWRITTEN_PAST_A_BARRIER = Sentence(
    "{me} may overwrite {element} {here} while {other} still reads it {there} (write after read). The __syncthreads() "
    "in line {barrier} stands between the two, but does not order them: every thread of the block must go through it "
    "in the same turn."
)
WRITTEN_TWICE = Sentence(
    "{me} {here} and {other} {there} both write {element}, and which value stays is chance: give each element one "
    "writer, or put a __syncthreads() between the two (write after write)."
)
BOTH_WRITE_ALIKE = Sentence(
    "{me} {here} and {other} {there} both write {element}. Here both write the same value, so nothing went wrong, but "
    "each element needs one writer."
)
IN_ONE_WARP = Sentence(
    "{race} Both threads are in one warp, which is no order either: they do not run in step, a shuffle or vote orders "
    "no memory, and so they need a __syncwarp() at least."
)
NOT_WAITED_FOR = Sentence(
    "{me} touches {element} {here} while an asynchronous copy into it {there} has not been waited for: "
    "__pipeline_wait_prior (cp.async.wait_group), then __syncthreads(), must come first, and the wait must count no "
    "copies that were started later."
)
NOT_WAITED_FOR_IN_BUFFER = Sentence(
    "{me} touches {element} {here} while an asynchronous copy into it {there} has not been waited for. If it belongs "
    "to the tile in use, __pipeline_wait_prior(N) (cp.async.wait_group) must leave no more copies under way than were "
    "started for later tiles, with a __syncthreads() after it; if it belongs to a later tile, it must go into another "
    "buffer."
)

# ---- races in global memory

ADDED_WITHOUT_ORDER = Sentence(
    "{me} reads {element} {here} and {other} writes it too {there} with nothing that orders them: updates get lost; "
    "let one thread own each element, or use atomicAdd."
)
WRITTEN_AND_READ = Sentence(
    "{me} writes {element} {here} and {other} reads it too {there} with nothing that orders them: updates get lost; "
    "let one thread own each element, or use atomicAdd."
)
STORED_TWICE = Sentence(
    "{me} writes {element} {here} and {other} writes it too {there} with nothing that orders them: updates get lost; "
    "let one thread own each element, or use atomicAdd."
)
STORED_TWICE_ALIKE = Sentence(
    "{me} writes {element} {here} and {other} writes it too {there}. Here both write the same value, so no update was "
    "lost, but each element needs one owner: the index of the store gives it two."
)
BETWEEN_BLOCKS = Sentence(
    "threads of two blocks touch {element} {here}, one of them writing {there}: blocks are never ordered with each "
    "other, so which value stays is chance; let one block own each element of C, or use atomicAdd."
)
BETWEEN_BLOCKS_ELSEWHERE = Sentence(
    "threads of two blocks touch {element} {here}, one of them writing {there}: blocks are never ordered with each "
    "other, so which value stays is chance; give each block its own part of {array}, or use atomicAdd."
)
BETWEEN_BLOCKS_ALIKE = Sentence(
    "threads of two blocks write {element} {here} and {there}. Here both write the same value, but blocks are never "
    "ordered with each other: let one block own each element of C."
)

# ---- barriers

LEFT_BEFORE_BARRIER = Sentence(
    "{me} of {block} waits at the __syncthreads() {here}, but {other} has left the kernel without it: every thread of "
    "a block must reach every __syncthreads(); guard the loads and the store, never the barrier, and do not return "
    "early."
)
WARP_LEFT_BEFORE_BARRIER = Sentence(
    "{me} of {block} waits at the __syncthreads() {here}, but {other} has left the kernel without it, with its whole "
    "warp: the barrier goes on without a warp that has ended, and the kernel without what it had still to do; let "
    "every thread reach every __syncthreads(), and guard the loads and the store only."
)
AT_ANOTHER_BARRIER = Sentence(
    "{me} waits at the barrier {here} while {other} waits at another one {there}: every thread of a block must reach "
    "the same __syncthreads(), the same number of times; one that stands in an if must come out of it."
)
NOBODY_COMES = Sentence(
    "{me} waits at the barrier {here}, and the threads it waits for never come: check the number of threads the "
    "barrier is told to expect."
)
NOBODY_COMES_BUT_ONE_WAITS = Sentence(
    "{me} waits at the barrier {here}, while {other} waits {there}, and the threads it waits for never come: check the "
    "number of threads the barrier is told to expect."
)
MEETS_BY_CHANCE = Sentence(
    "{me} waits at a barrier of some warps {here}, and which warps it meets there is chance: since the last barrier of "
    "the whole block, other warps have used the barrier of the same number. Give each group of warps a number of its "
    "own."
)
LANES_MISSING = Sentence(
    "{me} is at a warp-wide instruction {here} whose mask names lanes that do not come: call it outside of the branch, "
    "or give a mask of the lanes that take part."
)
LANE_MISSING = Sentence(
    "{me} is at a warp-wide instruction {here} whose mask names lanes, among them {other}, that do not come: call it "
    "outside of the branch, or give a mask of the lanes that take part."
)

# ---- out of bounds

READS_NOWHERE = Sentence(
    "{me} of {block} reads at an address that belongs to no array {here}: a pointer that was never set, or an index "
    "far too large."
)
WRITES_NOWHERE = Sentence(
    "{me} of {block} writes at an address that belongs to no array {here}: a pointer that was never set, or an index "
    "far too large."
)
READS_OUTSIDE = Sentence("{me} of {block} reads {element} {here}, {edge}: {bounds}; {advice}.")
WRITES_OUTSIDE = Sentence("{me} of {block} writes {element} {here}, {edge}: {bounds}; {advice}.")
READS_ACROSS_THE_END = Sentence(
    "{me} of {block} reads {floats} at once, from {element} on {here}, across its end: {bounds}; take a wide "
    "access only where all of it lies inside, else the elements one by one."
)
WRITES_ACROSS_THE_END = Sentence(
    "{me} of {block} writes {floats} at once, from {element} on {here}, across its end: {bounds}; take a wide "
    "access only where all of it lies inside, else the elements one by one."
)
FLOATS = Sentence("{count} floats")
NUMBERS = Sentence("{count} numbers of {size} bytes")
BEFORE_ITS_START = Sentence("before its start")
BEYOND_ITS_END = Sentence("beyond its end")
ELEMENT_NUMBER = Sentence("element {number} of {array}")

MATRIX_BOUNDS = Sentence("{array} is {rows}×{columns} ({letters}), its last element is number {last}")
VECTOR_BOUNDS = Sentence("{array} has {count} elements, its last one is number {last}")
BYTES_OF_ARRAY = Sentence("{array} has {size} bytes")
BYTES_OF_SOMETHING = Sentence("it has {size} bytes")
DYNAMIC_BYTES = Sentence("the launch gives {size} bytes of dynamic shared memory")
DECLARED_AS = Sentence("it is declared as {declaration}")

STAY_INSIDE_TILE = Sentence("the index must stay inside the tile")
STAY_INSIDE_ARRAY = Sentence("the index must stay inside the array")
INDEX_OVERFLOWS = Sentence(
    "the index went negative: a 32-bit product such as row * K overflows for large matrices, or a subtraction is too "
    "large"
)
GUARD_OWN_ROW_AND_COLUMN = Sentence(
    "the guard must test this array's own row and column against its own extents, and the index must use the array's "
    "own row length, {length}"
)
GUARD_ROW = Sentence("its row is {row}, and {array} ends with row {last}: the guard must test row < {letter}")
GUARD_COLUMN = Sentence(
    "its column is {column}, and {array} ends with column {last}: the guard must test col < {letter}"
)
GUARD_K = Sentence(
    "this thread computes C[{row}][{column}], and element {number} would be its k = {k}, but {array} ends with k = "
    "{last}: the loop or the guard must keep k < K, and the index must be {index}"
)
INDEX_IS_WRONG = Sentence(
    "this thread computes C[{row}][{column}], which exists, so it is not a guard that is missing but the index that is "
    "wrong: a row of {array} is {length} long, and the index is {index}"
)
BLOCK_IS_INSIDE = Sentence(
    "its block is at no edge of C, so it is hardly a guard against {letter} that is missing: look at the guard against "
    "K, and at the index; a row of {array} is {length} long, so it is {index}"
)

# ---- alignment

ARRAY_NOT_ALIGNED_READ = Sentence(
    "{me} reads {size} bytes at once at {element} {here}, but {array} itself starts at an address that is no multiple "
    "of {size}: declare it with __align__({size})."
)
ARRAY_NOT_ALIGNED_WRITE = Sentence(
    "{me} writes {size} bytes at once at {element} {here}, but {array} itself starts at an address that is no multiple "
    "of {size}: declare it with __align__({size})."
)
READS_MISALIGNED = Sentence(
    "{me} reads {size} bytes at once at byte {offset} of {array} {here}, which is no multiple of {size}: such an "
    "access needs an address divisible by {size}, so each row must hold a multiple of {floats}, else take the "
    "elements one by one."
)
WRITES_MISALIGNED = Sentence(
    "{me} writes {size} bytes at once at byte {offset} of {array} {here}, which is no multiple of {size}: such an "
    "access needs an address divisible by {size}, so each row must hold a multiple of {floats}, else take the "
    "elements one by one."
)

# ---- values that were never set. `origin` is one of the lines below.

STORED_UNSET = Sentence("The value stored to {array} {here} depends on {origin}.")
BRANCHED_ON_UNSET = Sentence("A condition {here} depends on {origin}.")
ADDRESS_UNSET = Sentence("An address {here} depends on {origin}.")
FROM_SHUFFLE = Sentence("a shuffle {there} whose mask names lanes that do not come: what they give is undefined")
FROM_VARIABLE = Sentence(
    "a variable that was never set but is used {there}: give it a first value, such as float acc = 0.0f"
)
FROM_SHARED = Sentence(
    "shared memory that no thread has written, read {there}: fill every element of the tile, with 0 where the matrix "
    "ends"
)
FROM_GLOBAL = Sentence(
    "an element that was read {there} before anything was written to it: C does not start as zeros; sum into a "
    "register, then store"
)
FROM_LOCAL = Sentence(
    "a variable that was read {there} before it was set: give it a first value, such as float acc = 0.0f"
)

# ---- several devices: `me` and `writer` are as 'device 1, block (0,1), thread (3,0)', `reason` is one of those below

ON_DEVICE = Sentence("device {device}, {block}, {thread}")
DEVICE_ALONE = Sentence("On device {device}: {fault}")
OF_DEVICE = Sentence("{element} of device {device}")
PART_BOUNDS = Sentence("{array} of device {device} is {rows}×{columns}, its last element is number {last}")
TABLE_BOUNDS = Sentence("{array} has one entry for each of the {count} devices, its last one is number {last}")
STAY_INSIDE_PART = Sentence(
    "a device has only its own part of A and B, counted from 0, and reaches another device's arrays only by the table "
    "of pointers that it was given"
)
BETWEEN_DEVICES = Sentence(
    "{me} reads {element} {here}, which {writer} writes {there}, and nothing orders the two: {reason}."
)
WRITTEN_BY_DEVICES = Sentence(
    "{me} writes {element} {here}, which {writer} writes too {there}, and nothing orders the two: {reason}."
)
HANDED_ON_TOO_EARLY = Sentence(
    "device {device} is done and hands its C on, but {element}, which {writer} writes {there}, need not have "
    "arrived yet: {reason}."
)
NEVER_WAITED = Sentence("device {reader} never waits for a flag of device {device} that is set after that write")
READ_BEFORE_THE_WAIT = Sentence(
    "it is read before the wait for a flag has ended that device {device} sets after that write, if there is such a "
    "wait; see which flag is waited for, and how long"
)
ONE_THREAD_WAITED = Sentence(
    "one thread of the block waits, or has seen the flag, but this thread goes on by itself: a __syncthreads() must "
    "stand between that wait and what device {reader} reads of device {device}"
)
NOT_ACQUIRED = Sentence(
    "after it has seen the flag of device {device}, the thread that waited on device {reader} needs a "
    "__threadfence_system(), before anything is read that the flag stands for"
)
NO_SYSTEM_FENCE = Sentence(
    "on device {device} there is no __threadfence_system() between that write and the flag that device {reader} has "
    "seen"
)
WRITER_NOT_WAITED_FOR = Sentence(
    "the thread of device {device} that sets the flag has a fence, but it does not wait for the thread that writes: a "
    "__syncthreads() must stand between that write and the fence, or device {reader} may see the flag first"
)
DEVICE_FENCE = Sentence(
    "__threadfence() reaches only its own device; between that write and the flag, device {device} needs a "
    "__threadfence_system(), or device {reader} may see the flag first"
)
FLAG_BEFORE_DATA = Sentence(
    "the flag is set before: device {device} must write first, then call __threadfence_system(), and only then set the "
    "flag that device {reader} waits for"
)
FLAG_OF_ONE_DEVICE = Sentence(
    "an atomic such as atomicExch() is atomic for only its own device; a flag between devices needs "
    "atomicExch_system(), or a volatile access"
)
PLAIN_FLAG = Sentence(
    "a flag between devices must be written and read by volatile accesses, or by atomics of system scope such as "
    "atomicExch_system()"
)
FLAG_LEFT_SET = Sentence(
    "the flag was set already when the launch began, by the launch before: whoever has waited for a flag must reset it "
    "for the next launch"
)
ONE_WRITER = Sentence("each element of each device's C needs one writer")
WAIT_FOR_EVER = Sentence(
    "The kernels do not come to an end: {waits}. Is the flag set in the memory of the device that waits for it, by a "
    "block that can still run? A block that waits keeps its place, and blocks begin in the order of their numbers."
)
WAITS_FOR = Sentence("{me} waits {here} for {element}")
DEVICE_ENDED = Sentence("device {device} has ended")

# ---- the rest

INPUT_WRITTEN = Sentence("{me} writes to {element} {here}, but {array} is an input and must stay as it is.")
UNSUPPORTED = Sentence(
    "The emulator does not know the instruction {instruction} {here}; run this kernel on a GPU with --backend cuda."
)
TRAPPED = Sentence("{me} stopped the kernel itself {here}: an assertion failed, or __trap() was called.")
ENDLESS = Sentence(
    "The kernel did not come to an end: is there a loop whose counter does not move, or a wait for a value that nobody "
    "writes?"
)
ENDLESS_AT_LINE = Sentence(
    "The kernel did not come to an end (it was at line {line}): is there a loop whose counter does not move, or a wait "
    "for a value that nobody writes?"
)
READS_NOTHING = Sentence(
    "The loop there reads no memory. The compiler reads an ordinary variable once, before the loop; a volatile one, or "
    "an atomic, is read each time."
)
TOO_MANY_COPIES = Sentence("Too many asynchronous copies are in flight at once {here}: wait for the older ones first.")

# ---- the read-only cache, and barrier objects

READ_THROUGH_CACHE = Sentence(
    "{me} touches {element} {here}, which is read through the read-only cache {there}: what a kernel writes itself "
    "must not be read with __ldg() or through a const __restrict__ pointer, for the cache may hold an older "
    "value, whatever the order"
)
OBJECT_UNSET = Sentence(
    "{me} uses the barrier object {element} {here} before anything has initialised it: one thread calls "
    "init(&{array}, count), and a __syncthreads() must follow before others use it"
)
OBJECT_STUCK = Sentence(
    "{me} waits {here} at the barrier object {element}, where {missing} of the arrivals that end a phase have not "
    "come; {other} has not arrived: the count that the object was initialised with must be the number of arrivals in "
    "a phase"
)
OBJECT_EXPECTS_TOO_MANY = Sentence(
    "{me} waits {here} at the barrier object {element}, where {missing} of the arrivals that end a phase have not "
    "come, although every thread of the block has arrived: the count that the object was initialised with is too large"
)
OBJECT_BYTES_MISSING = Sentence(
    "{me} waits {here} at the barrier object {element}, to which {missing} bytes have been announced that no copy "
    "brings: the bytes given to expect_tx must be those of the copies"
)
