"""The hidden cases: what they cover, and that nothing but the secret decides them."""

from __future__ import annotations

from dataclasses import replace
from math import prod

import pytest

from gemmlab.check.check import check_source
from gemmlab.course.lesson import INPUT_KINDS, Case, load_all
from gemmlab.errors import UserError
from gemmlab.kernel.launch import LaunchSpec, cdiv
from grading.marking.cases import draw

SECRETS = [f"a secret of the course, number {number}".encode() for number in range(8)]
KERNELS = [kernel for lesson in load_all() for kernel in lesson.kernels]
BY_NAME = {kernel.name: kernel for kernel in KERNELS}
RAGGED = BY_NAME["04_ragged_edges"]
TILE = 16


def shapes(kernel, secret=SECRETS[0]) -> dict[str, tuple[int, int, int]]:
    return {case.kind: case.shape for case in draw(kernel, secret)}


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
@pytest.mark.parametrize("secret", SECRETS[:3], ids=range(3))
def test_every_kernel_gets_cases_that_can_be_launched(kernel, secret):
    drawn = draw(kernel, secret)
    assert {case.group for case in drawn} == {"ordinary", "boundary"}
    assert len({case.kind for case in drawn}) == len(drawn)
    for case in drawn:
        assert min(case.shape) >= 1, case
        assert max(case.shape) <= 2_700 and prod(case.shape) <= 2**26, case
        kernel.pristine_launches.at(*case.shape)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_all_kinds_of_input_occur_in_either_group(kernel):
    for group in ("ordinary", "boundary"):
        assert {case.inputs for case in draw(kernel, SECRETS[0]) if case.group == group} == set(INPUT_KINDS)


@pytest.mark.parametrize("secret", SECRETS, ids=range(len(SECRETS)))
def test_the_shapes_are_what_their_kinds_say(secret):
    M, N, K = zip(*(shapes(RAGGED, secret)[f"{size} one more than whole tiles"] for size in "MNK"))
    assert (M[0] % TILE, N[1] % TILE, K[2] % TILE) == (1, 1, 1)
    M, N, K = zip(*(shapes(RAGGED, secret)[f"{size} one less than whole tiles"] for size in "MNK"))
    assert (M[0] % TILE, N[1] % TILE, K[2] % TILE) == (TILE - 1, TILE - 1, TILE - 1)
    found = shapes(RAGGED, secret)
    assert 0 < found["K smaller than the tile"][2] < TILE
    assert found["an odd number of K tiles"][2] % (2 * TILE) == TILE
    assert found["an odd number of K tiles"][2] > TILE
    assert found["one row"][0] == 1 < TILE < found["one row"][1]
    assert found["one column"][1] == 1 < TILE < found["one column"][0]
    assert found["N not a multiple of 4"][1] % 4
    assert found["K not a multiple of 4"][2] % 4
    assert all(size % divisor for size in found["M, N and K are primes"] for divisor in range(2, size))
    assert len(set(found["M, N and K are primes"])) == 3
    assert max(found["C smaller than one tile"][:2]) < TILE


@pytest.mark.parametrize("secret", SECRETS, ids=range(len(SECRETS)))
def test_a_file_that_chooses_among_kernels_meets_a_large_c_in_hidden_and_in_public(secret):
    """Its public cases have one as well, so that no branch is a surprise; K alone goes far beyond them."""
    (whole,) = [kernel for kernel in KERNELS if kernel.whole]
    hidden = shapes(whole, secret)
    for M, N, _ in (hidden["a large C, a short K"], max((case.shape for case in whole.cases), key=lambda at: at[0])):
        assert cdiv(M, 128) * cdiv(N, 256) > 100
    assert max(K for _, _, K in hidden.values()) >= 2 * max(case.shape[2] for case in whole.cases)


@pytest.mark.parametrize("kernel", [one for one in KERNELS if not one.whole], ids=lambda kernel: kernel.name)
@pytest.mark.parametrize("secret", SECRETS, ids=range(len(SECRETS)))
def test_hidden_sizes_reach_far_beyond_the_public_ones(kernel, secret):
    largest = [max(case.shape[axis] for case in kernel.cases) for axis in range(3)]
    for group, farthest in (("ordinary", 2), ("boundary", 4)):
        drawn = [case.shape for case in draw(kernel, secret) if case.group == group]
        for axis in range(3) if group == "boundary" else (2,):
            assert any(shape[axis] >= farthest * largest[axis] for shape in drawn), (group, axis)
    most_work = max((case.shape for case in kernel.cases), key=prod)
    assert any(all(size >= 2 * most for size, most in zip(case.shape, most_work)) for case in draw(kernel, secret))


BEYOND = {
    "K": "if (K > 113) acc = 0.0f;",
    "M": "if (M > 300) acc = 0.0f;",
    "N": "if (blockIdx.x > 40) acc = 0.0f;",
    "all": "if (M > 200 && N > 200 && K > 200) acc = 0.0f;",
    "a narrow index": "if ((signed char)(K / 16) < K / 16) acc = 0.0f;",
}


@pytest.mark.parametrize("where", BEYOND)
@pytest.mark.parametrize("secret", SECRETS[:2], ids=range(2))
def test_a_kernel_that_gives_up_beyond_the_public_shapes_is_wrong(where, secret):
    tiled = BY_NAME["02_tiled_fma"]
    source = tiled.solution.replace("acc += As", f"{BEYOND[where]} acc += As")
    assert check_source(source, "kernel.cu", tiled.launch, tiled.cases, backend="emulator").passed
    cases = [Case(case.shape, case.inputs, case.seed, "ragged") for case in draw(tiled, secret)]
    assert not check_source(source, "kernel.cu", tiled.launch, cases, backend="emulator").passed


@pytest.mark.parametrize("secret", SECRETS, ids=range(len(SECRETS)))
def test_ordinary_cases_have_whole_tiles_only(secret):
    for kernel in (RAGGED, BY_NAME["07_vector_and_banks"]):
        side = 16 if kernel is RAGGED else 64
        for case in draw(kernel, secret):
            if case.group == "ordinary":
                M, N, K = case.shape
                assert (M % side, N % side, K % kernel.tile, K % 4) == (0, 0, 0, 0), case


def test_tiles_are_those_of_the_launch_and_not_the_step_along_K():
    wide = shapes(BY_NAME["05_register_1d"])
    assert wide["M one more than whole tiles"][0] % 64 == 1
    assert wide["N one less than whole tiles"][1] % 64 == 63
    rows = shapes(BY_NAME["14_claims_clinic/store_loop"])
    assert rows["M one more than whole tiles"][0] % 64 == 1
    assert rows["N one more than whole tiles"][1] % 16 == 1


def test_a_kernel_without_steps_along_K_gets_no_cases_about_them():
    kinds = set(shapes(BY_NAME["01_naive_mapping"]))
    assert "K is 1" in kinds
    assert "K smaller than the tile" not in kinds
    assert "K is 1" not in shapes(RAGGED)


def test_the_secret_alone_decides():
    assert draw(RAGGED, SECRETS[0]) == draw(RAGGED, SECRETS[0])
    one, other = draw(RAGGED, SECRETS[0]), draw(RAGGED, SECRETS[1])
    assert [case.kind for case in one] == [case.kind for case in other]
    assert sum(a.shape != b.shape for a, b in zip(one, other)) > len(one) / 2
    assert not {case.seed for case in one} & {case.seed for case in other}
    assert len({case.seed for case in one}) == len(one)


def test_lessons_with_the_same_tile_get_different_numbers():
    one, other = draw(RAGGED, SECRETS[0]), draw(BY_NAME["02_tiled_fma"], SECRETS[0])
    assert [case.shape for case in one] != [case.shape for case in other]


def test_a_kind_names_no_number_of_its_shape():
    for case in draw(RAGGED, SECRETS[0]):
        assert not {str(size) for size in case.shape if size not in (1, 4)} & set(case.kind.replace(",", " ").split())


def test_public_shapes_are_not_the_hidden_ones():
    public = {case.shape for case in RAGGED.cases}
    hidden = [case for secret in SECRETS for case in draw(RAGGED, secret)]
    assert sum(case.shape in public for case in hidden) < len(hidden) / 10


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_the_solution_gets_every_hidden_case_right(kernel):
    cases = [Case(case.shape, case.inputs, case.seed, "ragged") for case in draw(kernel, SECRETS[0])]
    verdict = check_source(kernel.solution, "kernel.cu", kernel.launches_of(kernel.solution), cases, backend="emulator")
    assert verdict.passed, verdict.findings


def test_a_launch_that_does_not_grow_is_an_error():
    still = replace(RAGGED, launched_by=LaunchSpec.parse("16,16", "1,1"))
    with pytest.raises(UserError, match="correct its grid"):
        draw(still, SECRETS[0])
