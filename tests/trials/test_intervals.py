"""The trace of one block: what each thread does between two barriers, as the compiled kernel does it."""

from __future__ import annotations

import numpy as np
import pytest

from gemmlab.compiler.compile import compile_source
from gemmlab.course import lesson as lessons
from gemmlab.cuda.sizes import sizes_of
from gemmlab.errors import UserError
from gemmlab.pictures.tiles.explorer import describe_interval, explorer_picture
from gemmlab.trials.explore import Spot, explorer_of
from gemmlab.trials.intervals import Origin, block_story
from gemmlab.trials.trace import BARRIER, COPY, trace_block

RAGGED = (35, 45, 25)


def story_of(name: str, place=(2, 1), shape=RAGGED, change=lambda text: text):
    lesson = lessons.load(name)
    explorer = explorer_of(lesson.kernel, change(lesson.solution), {}, shape)
    return explorer.story(place)


def test_a_thread_does_what_its_kernel_says_in_that_order():
    lesson = lessons.load("03")
    program, launch = compile_source(lesson.solution, "kernel.cu"), lesson.launch.at(*RAGGED)
    A = np.arange(35 * 25, dtype=np.float32).reshape(35, 25)
    B = np.arange(25 * 45, dtype=np.float32).reshape(25, 45)
    thread = trace_block(program, launch, RAGGED, 0, A, B).of(17)  # ty=1, tx=1
    kinds = [(access.site.kind, access.place.array) for access in thread]
    assert kinds[:5] == [("load", "A"), ("store", "As"), ("load", "B"), ("store", "Bs"), (BARRIER, None)]
    assert sum(kind == BARRIER for kind, _ in kinds) == 4, "two a K tile"
    assert kinds[-1] == ("store", "C")
    C = np.float32(A.astype(np.float64) @ B)
    assert np.uint32(thread[-1].words[0]).view(np.float32) == pytest.approx(C[1, 1])
    text = lesson.solution.splitlines()
    assert all(access.place.array in text[access.site.line - 1] for access in thread if access.place.array)


def test_the_intervals_fill_and_use_in_turns():
    story = story_of("03")
    assert [interval.title() for interval in story.intervals] == [
        "fills K tile 0", "uses K tile 0", "fills K tile 1", "uses K tile 1", "stores C",
    ]  # fmt: skip
    assert not any(interval.conflicts(array.name) for interval in story.intervals for array in story.arrays)
    assert story.filling(1) == 2


def test_ragged_slots_are_filled_with_zeros():
    As = {touch.element: touch.origin for touch in story_of("03").intervals[2].of("As", writes=True)}
    row, col = 2, 8  # the last row and the last k of the matrix
    assert As[row * 16 + col] == Origin("A", 34 * 25 + 24)
    assert As[row * 16 + col + 1] == As[(row + 1) * 16] == Origin("0")
    assert sum(origin.what == "A" for origin in As.values()) == 3 * 9


def test_other_fillings_are_told_from_elements():
    story = story_of("03", change=lambda text: text.replace(": 0.0f", ": 1.0f"))
    As = [touch.origin for touch in story.intervals[2].of("As", writes=True)]
    assert sum(origin.what == "?" for origin in As) == 256 - 27 and not any(origin.what == "0" for origin in As)


@pytest.mark.parametrize(("left_out", "interval"), [(1, 0), (2, 1)])
def test_without_a_barrier_each_slot_is_in_a_race(left_out, interval):
    def without(text: str) -> str:
        parts = text.split("__syncthreads();")
        return "".join(part + "__syncthreads();" * (n != left_out and n < 3) for n, part in enumerate(parts, 1))

    story = story_of("03", change=without)
    assert len(story.intervals[interval].conflicts("As")) == len(story.intervals[interval].conflicts("Bs")) == 256


def test_a_thread_that_reads_its_own_slot_only_is_in_no_race():
    body = "acc += As[ty][tx] * Bs[ty][tx];"

    def alone(text: str) -> str:
        return text.replace("acc += As[ty][k] * Bs[k][tx];", body).replace("__syncthreads();", "")

    story = story_of("03", change=alone)
    assert not any(interval.conflicts("As") for interval in story.intervals)


def test_asynchronous_copies_are_followed_with_their_zero_fill():
    story = story_of("08", (0, 0))
    assert [array.name for array in story.arrays] == ["As", "Bs"]
    fills_and_uses = [((0,), ()), ((1,), (0,)), ((2,), (1,)), ((3,), (2,)), ((), (3,))]
    assert [(one.fills, one.uses) for one in story.intervals] == fills_and_uses
    Bs = [touch.origin for touch in story.intervals[3].of("Bs", writes=True)]  # of k = 24 to 31, of which B has one
    assert sum(origin.what == "B" for origin in Bs) == 45
    assert sum(origin.what == "0" for origin in Bs) == len(Bs) - 45
    program = compile_source(lessons.load("08").solution, "kernel.cu")
    launch = lessons.load("08").launch.at(*RAGGED)
    zeros = np.zeros((35, 25), np.float32), np.zeros((25, 45), np.float32)
    assert any(access.site.kind == COPY for access in trace_block(program, launch, RAGGED, 0, *zeros).of(0))


@pytest.mark.parametrize("name", ["05", "06", "07", "09"])
def test_all_of_a_thread_is_seen_in_wider_kernels(name):
    side = sizes_of(lessons.load(name).starter)
    story = story_of(name, (0, 0), (side.BM, side.BN, 32))
    stored = {touch.element for one in story.intervals for touch in one.of("C", writes=True)}
    assert stored == set(range(side.BM * side.BN)), "the block stores all of C"
    for interval in story.intervals:
        for matrix, name in (("A", "As"), ("B", "Bs")):
            held = {touch.origin.index for touch in interval.of(name, writes=True) if touch.origin.what == matrix}
            read = {touch.element for touch in interval.of(matrix, writes=False)}
            assert held == read, "what is read of the matrix is what goes into shared memory"


def test_reads_beyond_the_matrices_are_counted():
    story = story_of("03", (2, 2), change=lambda text: text.replace("row < M && k0 + tx < K", "true"))
    assert story.intervals[2].outside > 0
    assert "lie outside of every array" in describe_interval(story, 2, 0)


def test_the_words_and_the_picture_say_the_same():
    story = story_of("03")
    picture = explorer_picture(story, 3, 1 * 16 + 3)
    assert picture.alt == describe_interval(story, 3, 19)
    assert "Block (x, y) = (1, 2), barrier interval 3 of 0…4: uses K tile 1." in picture.alt
    assert "Thread (tx, ty) = (3, 1) reads As[1][0…15] and Bs[0…15][3]." in picture.alt
    A = picture.figure.subfigs[0].axes[0].images[0].get_array()
    ink = (A[..., :3] < 0.2).all(axis=-1)
    assert np.array_equal(np.argwhere(ink), [[33, k] for k in range(16, 25)]), "row 33 of A, the k of tile 1"


@pytest.mark.parametrize(
    ("spot", "words"),
    [
        (Spot(block=(3, 0)), "there is no block"),
        (Spot(interval=9), "there are barrier intervals 0 to 4"),
        (Spot(thread=(16, 0)), "there is no thread"),
    ],
)
def test_a_spot_that_is_not_there_is_refused(spot, words):
    lesson = lessons.load("03")
    with pytest.raises(UserError, match=words):
        explorer_of(lesson.kernel, lesson.solution, {}, RAGGED).require(spot)


def test_a_kernel_without_tiles_and_a_large_shape_are_refused():
    naive, tiled = lessons.load("01"), lessons.load("03")
    program = compile_source(naive.solution, "kernel.cu")
    with pytest.raises(UserError, match="uses no shared memory"):
        block_story(program, naive.launch.at(*RAGGED), RAGGED, (0, 0), 16, {})
    with pytest.raises(UserError, match="too large to explore"):
        explorer_of(tiled.kernel, tiled.solution, {}, (512, 512, 512)).story((0, 0))
