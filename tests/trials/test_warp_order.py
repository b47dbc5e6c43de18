"""Orders of warps: what is found makes C wrong when it is run again, and a right kernel is right in any order."""

from __future__ import annotations

import numpy as np
import pytest
from field_kernels import OWN, read_kernel
from student_kernels import student_kernel

from gemmlab.check.orders import with_order
from gemmlab.course.lesson import load
from gemmlab.emulator import EmulatorExecutor
from gemmlab.emulator.chunk import IN_STEP
from gemmlab.emulator.director import ACCESS
from gemmlab.emulator.order import AHEAD, WAIT, Decision, Order
from gemmlab.kernel.epilogue import draw
from gemmlab.kernel.launch import LaunchSpec
from gemmlab.kernel.verdict import Finding, Verdict
from gemmlab.text.verdict import print_verdict
from gemmlab.trials.candidate import Candidate
from gemmlab.trials.order.find import find_order
from gemmlab.trials.order.report import report
from gemmlab.trials.order.search import Work

MOST_DECISIONS = 10
FULL = 0xFFFFFFFF

# Kernels with a race, the shape at which they are looked at, and whether C is right with all warps in step.
OF_LESSONS = [
    ("02_tiled_fma/no_first_barrier", (17, 33, 50), True),
    ("03_two_barriers/one_row_waits_and_none", (17, 33, 50), False),
    ("03_two_barriers/warp_barrier_second", (17, 33, 50), True),
    ("07_vector_and_banks/no_second_barrier", (20, 23, 39), True),
    ("08_double_buffer/next_before_barrier", (20, 23, 39), True),
    ("11_tensor_cores/no_syncwarp", (35, 45, 25), True),
    ("14_claims_clinic/coarsened/loads_after_barrier", (20, 23, 40), True),
]
OF_FIELD = [
    ("cp_async_into_a_buffer_being_read", (16, 16, 64)),
    ("named_barrier_without_the_other_group", (16, 16, 16)),
    ("split_k_zeroed_by_one_of_the_blocks", (20, 16, 30)),
    ("tree_reduction_without_syncwarp", (2, 3, 64)),
    ("waits_for_another_block", (16, 16, 16)),
]


def candidate_of(name: str) -> Candidate:
    one = student_kernel(name)
    return Candidate(one.text, "k.cu", one.kernel.launches_of(one.text))


def of_field(name: str) -> Candidate:
    kernel = read_kernel(OWN / "wrong" / f"{name}.cu")
    return Candidate(kernel.source, "k.cu", kernel.spec)


def wrong(work: Work, **options) -> np.ndarray:
    """The wrong elements of C after one run."""
    found = work.wrong(work.run(EmulatorExecutor(checks=False, again=False, **options)))
    assert found is not None
    return found


@pytest.mark.parametrize(("name", "shape", "in_step"), OF_LESSONS)
def test_an_order_of_few_decisions_makes_C_wrong(name, shape, in_step):
    work, tried = find_order(candidate_of(name), [(shape, "random", 1)])
    assert tried.order and len(tried.order.decisions) <= MOST_DECISIONS
    assert wrong(work, schedule=IN_STEP, order=tried.order).any()
    assert wrong(work, schedule=IN_STEP).any() != in_step == tried.in_step


@pytest.mark.parametrize(("name", "shape"), OF_FIELD)
def test_a_kernel_that_is_right_by_luck_gets_its_order(name, shape):
    work, tried = find_order(of_field(name), [(shape, "random", 1)])
    assert tried.in_step and not wrong(work, schedule=IN_STEP).any()
    told, story = report(work, tried)
    assert story and 1 <= len(told["decisions"]) <= MOST_DECISIONS
    assert wrong(work, schedule=IN_STEP, order=tried.order).sum() == told["wrong"] > 0
    row, col = told["first"]["row"], told["first"]["col"]
    assert story.wrong[row, col] and f"C[{row}][{col}]" in told["words"][-1]


def test_what_is_wrong_in_any_order_is_not_laid_to_the_order():
    body = "S[t] = A[t]; C[t] = S[t ^ 32] + 1;"
    source = f"""extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
    {{ __shared__ float S[64]; const int t = threadIdx.x; {body} }}"""
    candidate = Candidate(source, "k.cu", LaunchSpec.parse("64", "1"))
    told, _ = report(*find_order(candidate, [((8, 8, 8), "random", 1)]))
    assert not told["right_in_step"] and not told["right_in_turn"]
    assert "the order need not be all that is wrong" in " ".join(told["words"])


def test_where_all_write_the_same_no_order_changes_C():
    name = "14_claims_clinic/float4_tile/eight_threads_a_row"
    told, story = report(*find_order(candidate_of(name), [((1, 1, 1), "random", 1)]))
    assert story is None and told["proved"] and told["words"][0].startswith("No order of warps changes C")


def test_what_was_only_tried_is_not_called_proved():
    told, story = report(*find_order(of_field("one_word_many_values"), [((16, 16, 16), "random", 1)], seconds=1))
    assert story is None and not told["proved"] and told["tried"] > 10
    assert f"None of the {told['tried']} orders" in told["words"][0]


@pytest.mark.parametrize(("number", "shape"), [("03", (17, 33, 50)), ("08", (20, 23, 39))])
def test_a_right_kernel_is_right_in_any_order(number, shape):
    kernel = load(number).kernel
    candidate = Candidate(kernel.solution, "k.cu", kernel.launch)
    assert find_order(candidate, [(shape, "random", 1)]) is None
    inputs = draw(kernel.launch, "random", shape, 1)
    work = Work(candidate.compiled(), kernel.launch.at(*shape), shape, inputs, "random")
    places = accesses_of(work)
    rng = np.random.default_rng(1)
    for _ in range(6):
        decisions = [decision(rng, *places[rng.integers(len(places))]) for _ in range(4)]
        assert not wrong(work, schedule=IN_STEP, order=Order(0, (0,), tuple(decisions))).any(), decisions


def accesses_of(work: Work) -> list[tuple[int, int]]:
    """Where the warps of block 0 come to memory: (warp, instruction)."""
    executor, seen = EmulatorExecutor(IN_STEP, checks=False, again=False, order=Order(0, (0,))), set()
    executor.watch = lambda chunk, moment: seen.add((moment.warp, moment.pc)) if moment.what == ACCESS else None
    work.run(executor)
    return sorted(seen)


def decision(rng: np.random.Generator, warp: int, pc: int) -> Decision:
    lanes = FULL if rng.integers(2) else int(rng.integers(1, FULL))
    return Decision(str(rng.choice([WAIT, AHEAD])), 0, warp, lanes, pc, int(rng.integers(1, 4)))


def test_a_verdict_tells_the_order_to_those_who_ask(capsys):
    one = student_kernel("03_two_barriers/no_second_barrier")
    raced = Verdict("failed", (Finding("race", "one"),))
    cases = [case for case in one.kernel.cases if case.shape == (17, 33, 50)]
    verdict = with_order(raced, one.text, "k.cu", one.kernel.launch, cases)
    told = verdict.to_json()["order"]
    assert told["shape"] == [17, 33, 50] and told["decisions"][0]["line"] and told["found"]
    print_verdict(verdict, one.text)
    assert "An order of warps that makes C wrong" in capsys.readouterr().out
    unseen = with_order(raced, one.kernel.solution, "k.cu", one.kernel.launch, cases).to_json()["order"]
    assert unseen["words"][0].startswith("No order of warps was looked for") and not unseen["found"]
    right = Verdict("passed")
    assert with_order(right, one.text, "k.cu", one.kernel.launch, cases) is right and "order" not in right.to_json()
