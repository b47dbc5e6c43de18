"""Experiments on the claims that came with published kernels: each gives its numbers, and what they say of the claim.

`examine` runs one. Its evidence holds the number that the lesson's prediction of the same name asks for, whether the
claim holds, and a text that shows the numbers without the conclusion.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gemmlab.course.lesson import Kernel, Lesson
from gemmlab.errors import UserError
from gemmlab.kernel.launch import Launch, LaunchSpec
from gemmlab.markdown import plain
from gemmlab.models.simulator import FLOAT_BYTES
from gemmlab.trials.candidate import Candidate

if TYPE_CHECKING:
    from gemmlab.pictures.picture import Picture

_SIDE = 64  # M, N and K of the launches that are counted
_LARGE = 4096
_ARCHS = ("sm_75", "sm_80", "sm_86", "sm_89", "sm_90")
_BANK_DISTANCES = (1, 2, 4, 8, 16, 32, 64)
_PITCHES = (32, 33, 36)
_BLOCKS = ((16, 16), (32, 8))

# Lane i reads the word, or the four words, at i * K of shared memory: as many lanes as the block has threads.
_PROBE = """\
#ifdef WIDE
typedef float4 Word;
#else
typedef float Word;
#endif
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ __align__(16) float s[32 * 64];
    for (int i = threadIdx.x; i < 32 * 64; i += blockDim.x) s[i] = A[0];
    __syncthreads();
    const Word v = *reinterpret_cast<const Word*>(&s[threadIdx.x * K]);
    *reinterpret_cast<Word*>(&C[threadIdx.x * sizeof(Word) / sizeof(float)]) = v;
}
"""
_NAIVE = """\
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || col >= N) return;
    float acc = 0.0f;
    for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];
    C[row * N + col] = acc;
}
"""


@dataclass(frozen=True)
class Evidence:
    """`number` is what the prediction asks for; `text` is Markdown, and so is `follows`: what these numbers say of the
    claim, which is kept back until it is judged."""

    number: float
    holds: bool
    text: str
    picture: Picture | None = None
    follows: str = ""


def examine(claim: str, lesson: Lesson) -> Evidence:
    """Run the experiment of that claim. Raises UserError where it needs a kernel that is not mended yet."""
    return EXPERIMENTS[claim](lesson)


def _uncoalesced_b(lesson: Lesson) -> Evidence:
    """What one warp of the published kernel asks of A and B, where the kernel is right."""
    from gemmlab.compiler.compile import compile_source
    from gemmlab.kernel.warp import SECTOR_BYTES
    from gemmlab.pictures.warps.warp import request_table, warp_picture
    from gemmlab.trials.warp_lines import requests_of

    kernel, shape = lesson.kernel_named("barrier_in_if"), (_SIDE,) * 3
    requests = requests_of(compile_source(kernel.starter), kernel.launch.at(*shape), shape)
    (of_b,) = [request for request in requests if request.array == "B"]
    fewest = -(-of_b.used_bytes // SECTOR_BYTES)
    picture = warp_picture([of_b], "What one warp asks of B")
    return Evidence(len(of_b.sectors), len(of_b.sectors) > fewest, request_table(requests), picture)


def _bank_of_four(lesson: Lesson) -> Evidence:
    """Two lanes read words some distance apart: how many passes through the banks it takes."""
    passes = {distance: _probe(lanes=2, pitch=distance) for distance in _BANK_DISTANCES}
    rows = [f"| {distance} | {count} |" for distance, count in passes.items()]
    text = _table("| floats between two lanes | wavefronts of the load |", rows)
    nearest = min(distance for distance, count in passes.items() if count > 1)
    return Evidence(nearest, passes[4] > 1, text)


def _padding_four(lesson: Lesson) -> Evidence:
    """32 lanes read down a column of a tile whose rows are so long: word by word, and four words at once."""
    narrow = {pitch: _probe(lanes=32, pitch=pitch) for pitch in _PITCHES}
    wide = {pitch: _probe(lanes=32, pitch=pitch, wide=True) for pitch in _PITCHES if pitch % 4 == 0}
    rows = [
        f"| {pitch} | {pitch - min(_PITCHES)} | {narrow[pitch]} | {wide.get(pitch, 'not aligned')} |"
        for pitch in _PITCHES
    ]
    head = "| floats in a row | of them padding | wavefronts, 4 bytes a lane | wavefronts, 16 bytes a lane |"
    return Evidence(narrow[36], narrow[36] == 1 and wide[36] == 4, _table(head, rows))


def _probe(lanes: int, pitch: int, wide: bool = False) -> int:
    """Wavefronts of one request in which lane i reads at i * pitch words."""
    text = f"#define WIDE\n{_PROBE}" if wide else _PROBE
    return _count(Candidate(text, "probe.cu", LaunchSpec.parse(f"{lanes}", "1")), (lanes, 4, pitch)).wavefronts


def _naive_bytes(lesson: Lesson) -> Evidence:
    """What the naive kernel's threads ask for, what its warps ask for, and what there is to read."""
    from gemmlab.models.simulator import traffic_naive

    asked = traffic_naive(_LARGE, _LARGE, _LARGE).global_load_bytes
    there = 2 * _LARGE * _LARGE * FLOAT_BYTES
    coarsened = lesson.kernel_named("coarsened")
    in_sectors = {f"{width}×{height}": asked * _sector_share((width, height)) for width, height in _BLOCKS}
    rows = [f"| the threads of the naive kernel ask for | {_gigabytes(asked)} |"]
    rows += [
        f"| its warps ask for, in sectors, if a block has {block} threads | {_gigabytes(count)} |"
        for block, count in in_sectors.items()
    ]
    rows.append(f"| A and B hold together | {_gigabytes(there)} |")
    text = _table(f"| at M = N = K = {_LARGE} | |", rows)
    own = _own_source(coarsened)
    reads = [f"| as published | {plain(_reads_of_a(coarsened, coarsened.starter))} |"]
    reads += [f"| in your file | {plain(_reads_of_a(coarsened, own))} |"] if own else []
    text += "\n\n" + _table("| `coarsened` | times that a row of blocks reads an element of A |", reads)
    same = [block for block, count in in_sectors.items() if _is_claimed(count)]
    follows = f"275 GB is what its warps ask for in sectors, in blocks of {' or '.join(same)}." if same else ""
    return Evidence(asked / 1e9, _is_claimed(asked) and there >= asked, text, follows=follows)


def _is_claimed(count: float) -> bool:
    """Whether these are the bytes of the claim, 4096³ floats."""
    return abs(count / (_LARGE**3 * FLOAT_BYTES) - 1) < 0.01


def _sector_share(block: tuple[int, int]) -> float:
    """Bytes in the sectors that one warp of the naive kernel asks for, over the bytes that its threads ask for."""
    from gemmlab.compiler.compile import compile_source
    from gemmlab.kernel.warp import SECTOR_BYTES
    from gemmlab.trials.warp_lines import requests_of

    launch = Launch((*block, 1), (_SIDE // block[0], _SIDE // block[1], 1))
    requests = [r for r in requests_of(compile_source(_NAIVE), launch, (_SIDE,) * 3) if not r.is_store]
    asked = sum(request.size * len(request.offsets) for request in requests)
    return sum(len(request.sectors) * SECTOR_BYTES for request in requests) / asked


def _reads_of_a(kernel: Kernel, source: str) -> float:
    """How often each element of A is loaded, at a shape of one column of blocks."""
    counted = _count(Candidate(source, kernel.path.name, kernel.launch), (_SIDE,) * 3)
    lines = [number for number, line in enumerate(source.split("\n"), 1) if re.search(r"\bA\[", line)]
    return sum(counted.global_loads[line] for line in lines) / _SIDE**2


def _own_source(kernel: Kernel) -> str | None:
    """The student's mended file, None where there is none that compiles."""
    from gemmlab.compiler.compile import CompileError, compile_source
    from gemmlab.files import read_source

    try:
        text = read_source(kernel.path)
        compile_source(text)
    except (UserError, CompileError):
        return None
    return None if kernel.is_untouched(text) else text


def _fused(lesson: Lesson) -> Evidence:
    """The multiply-add of the published kernel in PTX: as it is, without the intrinsic, and with fusing forbidden."""
    published = lesson.kernel_named("one_barrier").starter
    intrinsic = re.search(r"acc = __fmaf_rn\((\w+\[ty\]\[k\]), (\w+\[k\]\[tx\]), acc\);", published)
    plainly = f"acc += {intrinsic[1]} * {intrinsic[2]};"
    builds = (
        (f"`{intrinsic[0]}`", published, ()),
        (f"`{plainly}`", published.replace(intrinsic[0], plainly), ()),
        ("the same, compiled with `-fmad=false`", published.replace(intrinsic[0], plainly), ("-fmad=false",)),
    )
    made = {name: _arithmetic(source, options) for name, source, options in builds}
    rows = [f"| {name} | {each:g} | `{' '.join(first.split())}` |" for name, (each, first) in made.items()]
    text = _table("| source | instructions a multiply-add | the first of them in PTX |", rows)
    number = made[builds[1][0]][0]
    return Evidence(number, number > 1, text)


def _arithmetic(source: str, options: Sequence[str]) -> tuple[float, str]:
    """Float32 instructions for each multiply-add, and the first of them, in the PTX of a tiled kernel."""
    from gemmlab.compiler.compile import compile_source

    found = re.findall(r"^\s*((?:fma|mul|add)\S*\.f32\b.*)$", compile_source(source, options=options).ptx, re.MULTILINE)
    sums = [line for line in found if not line.startswith("mul")]
    return len(found) / len(sums), found[0]


def _half_occupancy(lesson: Lesson) -> Evidence:
    """The published kernel with tiles of 16 and of 32 on several GPUs, by the compiler's report of each."""
    from gemmlab.compiler.compile import compile_source
    from gemmlab.kernel.limits import Occupancy, occupancy

    source = lesson.kernel_named("store_loop").starter
    rows, found = [], {}
    for arch in _ARCHS:
        cells = [arch]
        for tile in (16, 32):
            used = compile_source(source, arch=arch, options=[f"-DTILE={tile}"]).resources["gemm"]
            found[arch, tile] = full = occupancy(tile * tile, used.registers, used.shared_bytes, arch)
            cells += [str(used.registers), _percent(full)]
        rows.append(f"| {' | '.join(cells)} |")
    head = "| GPU | registers, TILE = 16 | occupancy | registers, TILE = 32 | occupancy |"
    left = {arch: found[arch, 32].fraction / found[arch, 16].fraction for arch in _ARCHS}
    wanted: Occupancy = found["sm_80", 32]
    halved = all(abs(share - 0.5) < 0.05 for share in left.values())
    return Evidence(100 * wanted.fraction, halved, _table(head, rows), follows=_what_is_left(left))


def _what_is_left(left: dict[str, float]) -> str:
    """In words, what the larger tile leaves of the occupancy on each GPU, as a share of the smaller one's."""
    shares = [100 * share for share in left.values() if share]
    text = f"In the table {min(shares):.0f} to {max(shares):.0f} % of the smaller tile's occupancy are left."
    none = " and ".join(arch for arch, share in left.items() if not share)
    if not none:
        return text
    return f"{text} On {none} the larger block does not start, until `__launch_bounds__` asks for fewer registers."


def _percent(full) -> str:
    """The occupancy in words; 0 where the block asks for more registers than there are."""
    return f"{plain(100 * full.fraction)} %" if full.blocks_per_sm else "no launch: too many registers"


def _one_barrier_two_buffers(lesson: Lesson) -> Evidence:
    """Races of one buffer and of two, with one barrier a K tile."""
    one, two = lesson.kernel_named("one_barrier"), lesson.kernel_named("odd_tail")
    counts = {
        name: _count(Candidate(kernel.starter, kernel.path.name, kernel.launch), (_SIDE,) * 3)
        for name, kernel in (("one", one), ("two", two))
    }
    rows = [
        f"| `{kernel.patient}` | {name} | {plain(counts[name].barriers / k_tiles)} | {counts[name].races:,} |"
        for name, kernel, k_tiles in (("one", one, _SIDE // one.tile), ("two", two, _SIDE // two.tile))
    ]
    text = _table("| kernel, as published | buffers | barriers a K tile | accesses in a race |", rows)
    number = counts["two"].barriers / (_SIDE // two.tile)
    return Evidence(number, counts["two"].races == 0 and number == 1, text)


@dataclass(frozen=True)
class _Counted:
    """What one launch did: elements loaded from global memory by line, wavefronts of all shared loads, barriers that a
    warp came to, and accesses that race."""

    global_loads: Counter[int]
    wavefronts: int
    barriers: float
    races: int


def _count(candidate: Candidate, shape: tuple[int, int, int]) -> _Counted:
    outcome, (launch,) = candidate.run(shape, "integer", seed=0), candidate.launches(shape)
    totals = outcome.counters.totals
    read = {line: counts.global_load_bytes // FLOAT_BYTES for line, counts in outcome.counters.lines.items()}
    loads = Counter({line: elements for line, elements in read.items() if elements})
    warps = -(-int(np.prod(launch.block)) // 32) * int(np.prod(launch.grid))
    races = sum(finding.count for finding in outcome.findings if finding.kind == "race" and finding.is_error)
    return _Counted(loads, totals.shared_load_wavefronts, totals.barriers / warps, races)


def _gigabytes(count: float) -> str:
    return f"{plain(count / 1e9)} GB"


def _table(head: str, rows: Sequence[str]) -> str:
    return "\n".join([head, f"|:--|{'--:|' * (head.count('|') - 2)}", *rows])


EXPERIMENTS: dict[str, Callable[[Lesson], Evidence]] = {
    "uncoalesced_b": _uncoalesced_b,
    "bank_of_four": _bank_of_four,
    "padding_four": _padding_four,
    "naive_bytes": _naive_bytes,
    "fused": _fused,
    "half_occupancy": _half_occupancy,
    "one_barrier_two_buffers": _one_barrier_two_buffers,
}
