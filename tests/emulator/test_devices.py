"""Several devices in the emulator: what orders them, who waits for whom, and what goes from one to the other."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from gemmlab.check.check import check_launcher
from gemmlab.cli import app
from gemmlab.compiler.compile import compile_source
from gemmlab.course.parts import Case
from gemmlab.emulator import EmulatorExecutor
from gemmlab.errors import UserError
from gemmlab.kernel.arguments import ArgumentList
from gemmlab.kernel.layout import SPLITS, Devices
from gemmlab.launcher.spec import launched

FILE = Path(__file__).parent / "devices" / "gather.cu"
SOURCE = FILE.read_text(encoding="utf-8")
ARGS = "A,B,C,C_of,flags,flags_of,M,N,K,rank,world"
FLAGS = "world*cdiv(cdiv(M,world),16)*cdiv(N,16)"
SHAPE = 40, 20, 9
FENCE, FLAG, STORE = (
    "if (leads) __threadfence_system();  // fence",
    "*(flag_t*)&flags_of[to][mine] = 1;",
    "acc;  // store",
)
SETS = "for (int to = 0; leads && to < world; ++to) *(flag_t*)&flags_of[to][mine] = 1;"
WAIT, RESET = "while (*(flag_t*)&flags[t] == 0) {}", "*(flag_t*)&flags[t] = 0;  // reset"
WAITED, STORED = "__syncthreads();  // all have waited", "__syncthreads();  // all have stored"


def devices(world: int = 2, **how) -> Devices:
    return Devices(world, flags=FLAGS, **how)


def changed(*pairs: tuple[str, str]) -> str:
    """The source with other words in these places."""
    text = SOURCE
    for old, new in pairs:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


@cache
def outcome_of(text: str, world: int = 2, schedule: str = "forward", shape=SHAPE, args: str = ARGS):
    given = ArgumentList.parse(args, devices=devices(world))
    work = launched(text, "solve", given=given).at(*shape)
    rng = np.random.default_rng(5)
    A, B = (rng.integers(-4, 5, size).astype(np.float32) for size in ((shape[0], shape[2]), (shape[2], shape[1])))
    outcome = EmulatorExecutor(schedule).run(compile_source(text, FILE.name), work, A, B, shape)
    return outcome, A @ B


def findings_of(outcome) -> list:
    return [*outcome.findings, *(outcome.again.findings if outcome.again else ())]


def line_of(words: str) -> int:
    return next(number for number, line in enumerate(SOURCE.splitlines(), 1) if words in line)


RIGHT = {
    "volatile flags": (),
    "atomics of system scope": (
        (FLAG, "atomicExch_system(&flags_of[to][mine], 1u);"),
        (WAIT, "while (atomicAdd_system(&flags[t], 0u) == 0) {}"),
    ),
    "release and acquire": (
        (FENCE, ""),
        (FLAG, 'asm volatile("st.release.sys.u32 [%0], 1;" ::"l"(&flags_of[to][mine]) : "memory");'),
        (
            WAIT,
            "unsigned up = 0; while (up == 0) "
            'asm volatile("ld.acquire.sys.u32 %0, [%1];" : "=r"(up) : "l"(&flags[t]) : "memory");',
        ),
        ("__threadfence_system();  // acquire", ""),
    ),
    "a plain reset behind an acquire": ((RESET, "flags[t] = 0;"),),
    "a fence of every thread before the barrier": ((FENCE, ""), (STORED, f"__threadfence_system(); {STORED}")),
}


@pytest.mark.parametrize("name", RIGHT)
@pytest.mark.parametrize("schedule", ["forward", "reversed"])
def test_what_is_ordered_has_no_race_and_every_device_has_all_of_C(name, schedule):
    outcome, right = outcome_of(changed(*RIGHT[name]), schedule=schedule)
    assert findings_of(outcome) == []
    assert [np.array_equal(C, right) for C in outcome.of_ranks] == [True, True]
    assert np.array_equal(outcome.C, right) and outcome.written.all()


@pytest.mark.parametrize("world", [1, 3])
def test_the_number_of_devices_may_be_any(world):
    outcome, right = outcome_of(SOURCE, world)
    assert findings_of(outcome) == []
    assert len(outcome.of_ranks) == world and all(np.array_equal(C, right) for C in outcome.of_ranks)


def test_a_device_may_have_nothing_to_do():
    outcome, right = outcome_of(SOURCE, 3, shape=(1, 5, 3))
    assert findings_of(outcome) == [] and all(np.array_equal(C, right) for C in outcome.of_ranks)


WRONG = {
    "fence of the device only": (((FENCE, "if (leads) __threadfence();"),), "reaches only its own device"),
    "no fence": (((FENCE, ""),), "no __threadfence_system() between"),
    "flag before the data": (
        ((SETS, ""), ("/* before */", f"if (leads) __threadfence_system(); {SETS}")),
        "the flag is set before",
    ),
    "flag by an atomic of the device": (
        ((FLAG, "atomicExch(&flags_of[to][mine], 1u);"),),
        "atomic for only its own device",
    ),
    "plain flag": (((FLAG, "flags_of[to][mine] = 1;"),), "volatile accesses, or by atomics of system scope"),
    "no wait": (((WAIT, ""),), "never waits for a flag of device"),
    "wait by some threads without a barrier": (
        (
            ("int t = threadIdx.x; t < count; t += blockDim.x", "int t = 0; threadIdx.x == 0 && t < count; ++t"),
            (WAITED, ""),
        ),
        "but this thread goes on by itself",
    ),
    "no fence behind the wait": ((("__threadfence_system();  // acquire", ""),), "has seen the flag of device"),
    "no barrier before the fence": (((STORED, ""),), "device"),
    "one writer too many": (((STORE, "acc; if (rank) C_of[0][col] = acc;"),), "needs one writer"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_not_ordered_is_a_race_that_names_both_devices(name):
    changes, words = WRONG[name]
    found = findings_of(outcome_of(changed(*changes))[0])
    assert {one.kind for one in found} == {"race"}
    race = next(one for one in found if words in one.message)
    assert {race.details["device"], race.details["other_device"]} == {0, 1}
    assert "device 0" in race.message and "device 1, block (" in race.message and "thread (" in race.message
    assert race.line is not None and f"(line {line_of('// store')})" in race.message or "flags[" in race.message


def test_a_flag_that_is_not_reset_is_found_at_the_second_launch():
    outcome, right = outcome_of(changed((RESET, "")))
    assert outcome.findings == [] and np.array_equal(outcome.C, right) and outcome.kept == ("flags",)
    (race,) = (one for one in outcome.again.findings if one.details["array"] == "C" and one.line == line_of("// store"))
    assert "was set already when the launch began" in race.message and "reset" in race.message
    assert race.details["launch"] == 2


def test_a_wait_without_an_end_says_who_waits_for_whom():
    outcome, _ = outcome_of(changed((FLAG, "*(flag_t*)&flags_of[rank][mine] = 1;")))
    (timeout,) = findings_of(outcome)
    assert outcome.C is None and timeout.kind == "timeout" and timeout.line == line_of("// wait")
    for rank, other in ((0, 1), (1, 0)):
        first = other * 4
        assert (
            f"device {rank}, block 0, thread {first} waits (line {timeout.line}) for flags[{first}]" in timeout.message
        )


def test_who_has_ended_is_told_where_another_waits():
    outcome, _ = outcome_of(changed((FLAG, "*(flag_t*)&flags_of[1][mine] = 1;")))
    (timeout,) = findings_of(outcome)
    assert "device 0, block 0" in timeout.message and "device 1 has ended" in timeout.message


def test_a_pointer_of_another_devices_share_is_outside():
    found = findings_of(outcome_of(changed(("A[r * K + k]", "A[(first + r) * K + k]")))[0])
    (outside,) = (one for one in found if one.kind == "out_of_bounds")
    assert "A of device 1 is 20×9" in outside.message and outside.details["device"] == 1


def test_what_goes_to_another_device_is_counted_by_line():
    outcome, _ = outcome_of(SOURCE)
    M, N, _ = SHAPE
    stores = outcome.counters.lines[line_of("// store")]
    assert stores.peer_store_bytes == 4 * M * N and stores.global_store_bytes == 2 * 4 * M * N
    assert outcome.counters.totals.peer_store_bytes == 4 * M * N + 4 * 8  # and each of 8 blocks' flag to one peer
    assert outcome.counters.totals.peer_load_bytes == 0


def test_what_is_read_from_another_device_is_counted():
    """A float by each thread of 4 blocks on each of 2 devices."""
    text = changed(
        ("acc = 0.0f;", "acc = 0.0f, other = B_of[world - 1 - rank][0];"), ("/* before */", "acc += 0 * other;")
    )
    text = text.replace("float* const* C_of", "float* const* C_of, float* const* B_of").replace(
        "C_of, flags_of", "C_of, B_of, flags_of"
    )
    outcome, right = outcome_of(text, args=ARGS.replace("C_of", "C_of,B_of"))
    assert findings_of(outcome) == [] and np.array_equal(outcome.C, right)
    assert outcome.counters.totals.peer_load_bytes == 4 * (2 * 4 * 16 * 16)


# ---- shares


@pytest.mark.parametrize("split", SPLITS)
def test_the_shares_of_all_ranks_are_the_whole(split):
    A, B = np.arange(35, dtype=np.float32).reshape(7, 5), np.arange(55, dtype=np.float32).reshape(5, 11)
    parts = [Devices(3, split, 2).shares(A, B, rank) for rank in range(3)]
    products = [a @ b for a, b in parts]
    joined = {"rows": np.concatenate, "columns": np.hstack, "k": sum, "none": lambda all_: all_[2]}[split](products)
    assert np.array_equal(joined, A @ B)
    for rank, (a, b) in enumerate(parts):
        assert Devices(3, split, 2).sizes((7, 11, 5), rank, 4) == {"A": a.nbytes, "B": b.nbytes, "C": 4 * 77}


@pytest.mark.parametrize(
    "how, words",
    [
        ({"world": 0}, "0 devices cannot be"),
        ({"world": 9}, "9 devices cannot be"),
        ({"world": 2, "split": "tiles"}, "unknown split 'tiles'"),
        ({"world": 2, "unit": 0}, "multiples of 0"),
    ],
)
def test_devices_that_cannot_be_are_refused(how, words):
    with pytest.raises(UserError, match=words):
        Devices(**how)


@pytest.mark.parametrize(
    "args, words",
    [
        ("A,B,M,N,K", "or their tables"),
        ("A,A,B,C,M,N,K", "once each"),
        ("A,B,C=0,M,N,K", "leave out C=0"),
        ("A,B,C,bias,M,N,K", "leave out bias"),
        ("A,B,C,M,N,K,ranks", "'ranks' is not known here"),
    ],
)
def test_arguments_that_devices_do_not_have_are_refused(args, words):
    with pytest.raises(UserError, match=words):
        ArgumentList.parse(args, devices=Devices(2))


def test_too_many_flags_are_refused():
    given = ArgumentList.parse(ARGS, devices=Devices(2, flags="M*M*M"))
    with pytest.raises(UserError, match="it may have 0 to"):
        launched(SOURCE, "solve", given=given).at(200, 20, 9)


# ---- the check and the commands


def test_the_check_says_on_which_device_C_is_wrong():
    text = changed((STORE, "acc + (to == 1 && col == 3);  // store"))
    given = ArgumentList.parse(ARGS, devices=devices())
    verdict = check_launcher(text, FILE.name, "solve", [Case(SHAPE, "integer", 1, "given")], "emulator", given=given)
    (wrong,) = verdict.findings
    assert wrong.kind == "wrong_result" and wrong.message.startswith("On device 1: ") and wrong.details["device"] == 1


def test_words_of_one_byte_do_not_part_a_flag():
    """Code that is not optimised may access single bytes; the shadow then has a word for each."""
    outcome, right = outcome_of(
        changed((RESET, "flags[t] = 0;"), ("seen[i] = C[i];", "((char*)seen)[4 * i] = C[i] > 0;"))
    )
    assert findings_of(outcome) == [] and np.array_equal(outcome.C, right)


def run(command: str, *more: str):
    given = ["--launcher", "solve", "--args", ARGS, "--flags", FLAGS, "--shape", "40,20,9", "--backend", "emulator"]
    return CliRunner().invoke(app, [command, str(FILE), *given, *more])


def test_run_takes_devices_and_says_what_it_found_as_json():
    told = run("run", "--devices", "2", "--json")
    assert told.exit_code == 0 and json.loads(told.stdout)["status"] == "passed"


def test_profile_shows_what_goes_to_other_devices():
    told = run("profile", "--devices", "2")
    assert told.exit_code == 0 and "stores to other devices" in told.stdout
    counts = json.loads(run("profile", "--devices", "2", "--json").stdout)["totals"]
    assert counts["peer_store_bytes"] == 4 * 40 * 20 + 4 * 8


@pytest.mark.parametrize("more, words", [((), "say how many"), (("--devices", "99"), "99 devices cannot be")])
def test_devices_that_make_no_sense_are_refused(more, words):
    assert words in str(run("run", *more).exception)
