"""Tile sizes of a kernel: read from its #define lines, changed there, and what a kernel becomes with others."""

from __future__ import annotations

import pytest

from gemmlab.compiler.compile import compile_source
from gemmlab.course.lesson import load
from gemmlab.cuda.sizes import Sizes, register_sizes, sizes_of, with_sizes
from gemmlab.errors import UserError
from gemmlab.kernel.limits import occupancy
from gemmlab.models.simulator import traffic_register_tiled
from gemmlab.pictures.speed.profile import intensities, traffic_table
from gemmlab.pictures.speed.sizes import sizing_table
from gemmlab.trials.sizing import sizing

SHAPE = (256, 256, 256)


def test_sizes_are_read_from_the_kernel():
    assert sizes_of(load("02").solution) == Sizes(16, 16, 16)
    assert sizes_of(load("05").starter) == Sizes(64, 64, 16, 16, 1)
    assert sizes_of("#define BM 64\n # define BN 32 // wide\n#define BK 8") == Sizes(64, 32, 8)
    assert register_sizes(load("04").solution) is None and register_sizes(load("06").solution).results == 32


def test_a_size_that_is_missing_is_named():
    with pytest.raises(UserError, match="no line '#define BN NUMBER'"):
        sizes_of("#define BM 64\n#define BK 16 + 0")


def test_a_block_has_a_thread_for_each_patch():
    sizes = Sizes(128, 64, 16, 8, 4)
    assert (sizes.block, sizes.threads, sizes.results) == ((16, 16), 256, 32)
    assert str(sizes) == "128×64×16, 8×4 a thread" and str(Sizes(16, 16, 16)) == "16×16×16"


def test_sizes_are_changed_in_their_lines_only():
    source = load("06").solution
    changed = with_sizes(source, Sizes(128, 128, 8, 16, 8))
    assert sizes_of(changed) == Sizes(128, 128, 8, 16, 8)
    same = [line for line in changed.split("\n") if line in source.split("\n")]
    assert len(same) == len(source.split("\n")) - 5
    with pytest.raises(UserError, match="so TN cannot be 2"):
        with_sizes(load("05").solution, Sizes(64, 64, 16, 16, 2))
    with pytest.raises(UserError, match="3×4 does not divide"):
        with_sizes(source, Sizes(64, 64, 16, 3, 4))
    with pytest.raises(UserError, match="BK is 0"):
        with_sizes(source, Sizes(64, 64, 0, 4, 4))


def test_a_sizing_is_the_compilers_report():
    source, sizes = load("06").solution, Sizes(64, 64, 8, 4, 4)
    entry = sizing(sizes, SHAPE, source, "gemm", "sm_86")
    program = compile_source(with_sizes(source, sizes), arch="sm_86")
    assert entry.resources == program.resources["gemm"] and entry.resources.shared_bytes == 4 * (64 * 8 + 8 * 64)
    assert entry.traffic == traffic_register_tiled(*SHAPE, 64, 64, 8, 4, 4)
    assert entry.occupancy == occupancy(256, entry.resources.registers, entry.resources.shared_bytes, "sm_86")


def test_a_patch_that_is_too_large_spills():
    source = load("06").solution
    small, large = (sizing(Sizes(16 * n, 16 * n, 8, n, n), SHAPE, source, "gemm", "sm_90") for n in (4, 16))
    assert small.resources.spill_store_bytes == 0 < large.resources.spill_store_bytes
    table = sizing_table([small, large], "sm_90")
    assert f"| {large.resources.registers} |" in table and "sm_90, from the compiler's report" in table


def test_without_a_source_there_is_only_what_needs_no_compiler():
    entry = sizing(Sizes(64, 64, 16, 4, 4), SHAPE, None, "gemm", "sm_90")
    assert entry.resources is None and entry.occupancy is None
    table = sizing_table([entry], "sm_90")
    assert "| 0.5 |" in table and "registers" not in table


def test_the_profile_has_a_column_for_a_kernel_with_register_tiles():
    sizes = Sizes(64, 64, 16, 4, 4)
    table = traffic_table((1024, 1024, 1024), 16, sizes)
    assert "| naive | tiled, T = 16 | 64×64, 4×4 each |" in table
    assert "| intensity | 0.25 FLOP/B | 4 FLOP/B | 16 FLOP/B |" in table and "2.15 GB |" in table
    assert "64×64, 4×4 each: 16 FLOP/B" in intensities((1024, 1024, 1024), 16, None, sizes).alt
    assert "each" not in traffic_table((1024, 1024, 1024), 16)


def test_too_many_threads_are_refused():
    with pytest.raises(UserError, match="4,096 threads; 1,024 are allowed"):
        sizing(Sizes(64, 64, 16), SHAPE, None, "gemm", "sm_90")
