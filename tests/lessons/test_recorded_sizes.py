"""Every kernel of the record is right in the emulator, with each of its sizes, where all tiles are ragged.

Sizes with which the copies do not come out even stop the compiler, with a sentence."""

from __future__ import annotations

import pytest

from gemmlab.compiler.compile import CompileError
from gemmlab.course.lesson import find_root, load
from gemmlab.cuda.sizes import Sizes, sizes_of, with_sizes
from gemmlab.kernel.elements import element_named
from gemmlab.kernel.tolerance import compare, make_inputs
from gemmlab.models.autotune import launch_spec, pruned_by
from gemmlab.records.record import Entry, entries
from gemmlab.trials.candidate import Candidate

RECORDED = [entry for entry in entries(find_root()) if "#define BM" in entry.candidate.text]
UNEVEN = Sizes(64, 64, 8, 4, 4)  # 16 rows of a tile of B at a time, which has 8


@pytest.mark.parametrize("entry", RECORDED, ids=lambda entry: entry.candidate.filename)
def test_a_kernel_of_the_record_is_right_where_every_tile_is_ragged(entry: Entry):
    sizes = sizes_of(entry.candidate.text)
    shape = (sizes.BM + 3, sizes.BN + 5, 2 * sizes.BK + 1)
    outcome = entry.candidate.run(shape, "integer", 9, arch="sm_90")
    assert outcome.C is not None and not outcome.has_error, [finding.message for finding in outcome.findings]
    element = element_named(entry.dtype)
    assert compare(outcome.C, *make_inputs("integer", shape, 9, element), "integer", outcome.written, element).ok


@pytest.mark.parametrize("number", ["07", "08", "09"])
def test_sizes_with_which_the_copies_do_not_come_out_even_do_not_compile(number: str):
    assert pruned_by(UNEVEN) == "copies"
    source = with_sizes(load(number).solution or "", UNEVEN)
    with pytest.raises(CompileError) as error:
        Candidate(source, "k.cu", launch_spec(UNEVEN)).compiled("sm_90")
    said = [diagnostic.message for diagnostic in error.value.diagnostics]
    assert any("the bands that the block copies must fill both tiles" in message for message in said)
