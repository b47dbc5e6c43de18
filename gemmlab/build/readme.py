"""The README's part that is built from the results file: a table and a picture of the ladder.

`python -m gemmlab.build.readme` writes both, `--check` names what is stale. The picture holds the digest of the results
that it was drawn from, so that its freshness does not hang on how one version of matplotlib draws.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import sys
from collections.abc import Iterator
from pathlib import Path

from gemmlab.errors import UserError
from gemmlab.files import write_whole
from gemmlab.pictures.picture import PAPER
from gemmlab.records.fused import table as table_of_fused
from gemmlab.records.links import products_table, recorded_links
from gemmlab.records.results import AtShape, Published, Results, all_results, published
from gemmlab.text.skinny import skinny_rows

BEGIN, END = "<!-- results: built by `make lessons` -->", "<!-- end of results -->"
PICTURE = "gemmlab/recorded/ladder.svg"
_FUSED = "`12_fused_epilogue`, silu(A·B + bias) in one kernel, beside the same in three:"
_LINKS = "`15_two_gpus`, one product on two GPUs that store their tiles into each other's C:"
_DRAWN_BY = "1"  # another number when the picture is drawn in another way


def build(root: Path) -> Iterator[str]:
    """Write what is stale; yields one line a file written. Nothing is, where the README has no marks."""
    readme = root / "README.md"
    text = readme.read_text(encoding="utf-8") if readme.exists() else ""
    if BEGIN not in text:
        return
    if (fresh := with_results(text)) != text:
        write_whole(readme, fresh)
        yield "wrote README.md"
    if not _is_fresh(root / PICTURE):
        write_whole(root / PICTURE, _svg())
        yield f"wrote {PICTURE}"


def check(root: Path) -> list[str]:
    """The names of what is stale."""
    readme = root / "README.md"
    text = readme.read_text(encoding="utf-8") if readme.exists() else ""
    if BEGIN not in text:
        return []
    stale = ["README.md"] if with_results(text) != text else []
    return stale + ([] if _is_fresh(root / PICTURE) else [PICTURE])


def with_results(readme: str) -> str:
    """The README with what the results files say between its two marks. UserError where a mark is missing."""
    before, begin, rest = readme.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise UserError(f"README.md has no lines '{BEGIN}' and '{END}'")
    return f"{before}{BEGIN}\n{_text()}{END}{after}"


def _text() -> str:
    found = all_results()
    if not found:
        return "\nNothing is recorded yet: run `gemmlab record` on a machine with an NVIDIA GPU.\n\n"
    return "\n" + "\n".join(_section(results) for results in found) + "\n" + _links() + _others(published())


def _section(results: Results) -> str:
    machine, ceilings = results.machine, results.ceilings
    head = (
        f"Share of cuBLAS SGEMM ({machine.get('cublas')}), {results.label}; CUDA {machine.get('cuda')}, SM clock "
        f"{machine.get('sm_clock_mhz')} MHz. Cold caches, median of pairs of launches in turns. Sizes are M×N×K; in "
        "brackets the best of a few other tile sizes of the same kernel."
    )
    columns = [_shape_name(one) for one in results.shapes]
    rows = [_lesson_row(results, lesson) for lesson in results.shapes[0].lessons]
    rows += [_row(name, [_fast_cell(one, name) for one in results.shapes]) for name in _fast_names(results)]
    rows += [_row("cuBLAS, TFLOPS", [f"{one.cublas_gflops / 1000:.1f}" for one in results.shapes])]
    table = [_row("kernel", columns), "|:--|" + "--:|" * len(columns), *rows]
    roof = (
        f"Ceilings measured on it: {ceilings['fma_tflops']:.1f} TFLOP/s of float32 multiply-adds, "
        f"{ceilings['copy_gbs'] / 1000:.2f} TB/s copied in memory, {ceilings['l2_gbs'] / 1000:.1f} TB/s from the L2 "
        f"cache, {ceilings['shared_gbs'] / 1000:.1f} TB/s from shared memory."
    )
    picture = f"![The ladder's kernels as a share of cuBLAS, {results.label}]({PICTURE})"
    more = [*_splits(results), *_tensor_cores(results), *_fused(results)]
    return "\n".join([head, "", *table, "", roof, "", picture, "", *more])


def _fused(results: Results) -> list[str]:
    """The kernel that does more than a product, beside the kernels that it stands for."""
    return [_FUSED, "", table_of_fused(results), ""] if results.fused else []


def _tensor_cores(results: Results) -> list[str]:
    """The kernels on tensor cores, each beside cuBLAS on the same kind of matrices."""
    by_dtype: dict[str, list[AtShape]] = {}
    for one in results.others:
        by_dtype.setdefault(one.dtype, []).append(one)
    if not by_dtype:
        return []
    columns = [_shape_name(one) for one in next(iter(by_dtype.values()))]
    lines = [
        "On tensor cores, each beside cuBLAS on matrices of the same kind, sums in float32; `3xtf32` is float32 by "
        "three TF32 products, beside SGEMM with TF32 off. Measured in the same way.",
        "",
        _row("kernel", ["A and B", *columns]),
        "|:--|:--|" + "--:|" * len(columns),
    ]
    for dtype, shapes in by_dtype.items():
        for kernel in shapes[0].kernels:
            name = kernel.name if kernel.lesson is None else f"`{kernel.name}`"
            lines.append(_row(name, [dtype, *(_percent(one.named(kernel.name).ratio) for one in shapes)]))
        lines.append(_row("cuBLAS, TFLOPS", [dtype, *(f"{one.cublas_gflops / 1000:.1f}" for one in shapes)]))
    return [*lines, ""]


def _splits(results: Results) -> list[str]:
    """The kernels for few rows and long sums."""
    if not results.splits:
        return []
    head = (
        "Few rows, as a language model has them, and long sums, for which lesson 10 splits K. GB/s are those of A, B "
        "and C moved once:"
    )
    return [head, "", *skinny_rows(results), ""]


def _shape_name(one: AtShape) -> str:
    return "×".join(map(str, one.shape))


def _row(name: str, cells: list[str]) -> str:
    return f"| {name} | {' | '.join(cells)} |"


def _lesson_row(results: Results, lesson: str) -> str:
    taught = results.shapes[0].as_taught(lesson)
    cells = []
    for one in results.shapes:
        plain, best = one.as_taught(lesson), one.best_of(lesson)
        other = f" ({_percent(best.ratio)})" if best.gflops > plain.gflops else ""
        cells.append(f"{_percent(plain.ratio)}{other}")
    return _row(f"`{taught.name}`", cells)


def _fast_names(results: Results) -> list[str]:
    return [kernel.name for kernel in results.shapes[0].kernels if kernel.lesson is None]


def _fast_cell(one: AtShape, name: str) -> str:
    kernel = one.named(name)
    cell = _percent(kernel.ratio)
    return f"**{cell}**" if kernel == one.best else cell


def _percent(ratio: float) -> str:
    return f"{100 * ratio:.1f} %"


def _links() -> str:
    return "\n".join([_LINKS, "", products_table(recorded_links()), "", ""])


def _others(ladders: list[Published]) -> str:
    lines = ["For comparison, what others published, quoted, and what public code reached here:", ""]
    lines += ["| source | M×N×K | unit | steps |", "|:--|:--|:--|:--|"]
    for one in ladders:
        steps = ", ".join(f"{step} {value:g}" for step, value in zip(one.steps, one.values, strict=True))
        note = f" ({one.note})" if one.note else ""
        source = f"[{one.source}]({one.link})" if one.link else one.source
        lines.append(f"| {source}, {one.measured} | {'×'.join(map(str, one.shape))} | {one.unit} | {steps}{note} |")
    return "\n".join(lines) + "\n\n"


# ---- the picture


def _digest() -> str:
    """Of the results that are drawn, and of how they are. Other records in their folder do not count."""
    return hashlib.sha256(f"{_DRAWN_BY} {all_results()!r}".encode()).hexdigest()


def _is_fresh(path: Path) -> bool:
    return path.exists() and _digest() in path.read_text(encoding="utf-8")


def _svg() -> str:
    import matplotlib

    from gemmlab.pictures.speed.recorded import recorded_ladder

    buffer = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": "gemmlab", "svg.fonttype": "none"}):
        metadata = {"Date": None, "Creator": None, "Description": f"drawn from {_digest()}"}
        recorded_ladder(all_results()).figure.savefig(buffer, format="svg", facecolor=PAPER, metadata=metadata)
    return buffer.getvalue()


def main(arguments: list[str] | None = None) -> int:
    from gemmlab.course import lesson as lessons

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if something is stale")
    if parser.parse_args(arguments).check:
        stale = check(lessons.find_root())
        print("\n".join(f"stale: {name}" for name in stale) or "all fresh")
        return int(bool(stale))
    for line in build(lessons.find_root()):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
