"""The contest that ranks an entry, with tests/fake_gpu for CuPy: nothing is gained by what is tried on public boards.

The same tricks as real files stand in tests/kernels/13_beat_cublas.
"""

from pathlib import Path

import pytest

from gemmlab.errors import UserError
from gemmlab.gpu import bench
from gemmlab.gpu.child import contest as child
from gemmlab.gpu.contest import contest, sealed
from gemmlab.kernel.launch import Address, Launch, Scalar
from gemmlab.kernel.plan import Fill, Plan
from gemmlab.kernel.program import Program

M, N, K = SHAPE = (9, 7, 33)
LAUNCH = Launch((16, 16, 1), (1, 1, 1))
QUICK = {"seconds": 0.01, "warm_up": 0.0}
PRODUCT = "(at(A, M * K).reshape(M, K) @ at(B, K * N).reshape(K, N)).reshape(-1)"
RIGHT = f"at(C, M * N)[:] = {PRODUCT}"
STATE = "kept = globals().setdefault('kept', {})"
COUNT = "kept['n'] = n = kept.get('n', 0) + 1"


@pytest.fixture(autouse=True)
def fake_gpu(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1].joinpath("fake_gpu")))


@pytest.fixture
def one_bench():
    with bench.Bench() as opened:
        yield opened


def python_kernel(*lines):
    return Program("", "kernel.cu", "sm_90", "", "\n    ".join(("def gemm(at, A, B, C, M, N, K):", *lines)).encode())


def run(one_bench, *lines, work=LAUNCH, shape=SHAPE):
    return contest(one_bench, python_kernel(*lines), work, shape, **QUICK)


def test_a_right_kernel_gets_a_ratio_over_pairs_of_launches(one_bench):
    found = run(one_bench, "time.sleep(0.002)", RIGHT)
    assert found.kernel_ms >= 2 and 0 < found.spread[0] <= found.ratio <= found.spread[1] < 1
    assert found.pairs >= child.FEWEST_PAIRS and found.largest_error < 1e-5 and found.sm_clock_mhz == 1500


CHEATS = {
    "the first result for all": (STATE, f"C0 = kept.setdefault('C', {PRODUCT})", "at(C, M * N)[:] = C0"),
    "a result kept by shape, the rest later": (STATE, COUNT, RIGHT.replace("at(C", "if n % 15 == 1: at(C")),
    "nothing after ten launches": (STATE, COUNT, f"if n <= 10: {RIGHT}"),
    "wrong once, after ten launches": (STATE, COUNT, RIGHT, "at(C, 1)[0] += n == 12"),
    "only where the inputs look new": (
        STATE,
        "look = at(A, M * K)[0] > 0",
        f"kept.setdefault(look, {PRODUCT})",
        "at(C, M * N)[:] = kept[look]",
    ),
    "zero inputs and a zero result": ("at(A, M * K)[:] = 0", "at(C, M * N)[:] = 0"),
    "every second element": (RIGHT, "at(C, M * N)[1::2] = at(C, M * N)[: M * N - 1 : 2]"),
    "half of the sum, doubled": (
        "at(C, M * N)[:] = 2 * (at(A, M * K).reshape(M, K)[:, ::2] @ at(B, K * N).reshape(K, N)[::2]).reshape(-1)",
    ),
    "C as it was found": ("pass",),
    "float16 inside": (
        "h = lambda X, r, c: at(X, r * c).reshape(r, c).astype(np.float16).astype(np.float32)",
        "at(C, M * N)[:] = (h(A, M, K) @ h(B, K, N)).reshape(-1)",
    ),
}


@pytest.mark.parametrize("cheat", CHEATS)
def test_a_cheat_gets_no_time(one_bench, cheat):
    with pytest.raises(UserError, match="was wrong in .* timed launches, each on matrices of its own"):
        run(one_bench, *CHEATS[cheat])


def test_a_result_kept_by_address_is_computed_at_every_launch(one_bench):
    compute = f"kept[A, B] = kept.get('n', 0) or time.sleep(0.002) or {PRODUCT}"
    lines = (STATE, f"if (A, B) not in kept: {compute}", "at(C, M * N)[:] = kept[A, B]")
    assert run(one_bench, *lines).kernel_ms >= 2


ALL_MEMORY = (
    "import cupy, ctypes",
    "others = [buffer for buffer in cupy._buffers.values() if len(buffer) >= 8]",
)


def test_no_memory_holds_the_result_while_the_kernel_runs(one_bench):
    """Every buffer of the process is looked through for the right result, in float64 and in float32."""
    look = (
        *ALL_MEMORY,
        f"right = {PRODUCT}",
        "places = [np.frombuffer(b, np.uint8, len(b) // 8 * 8) for b in others]",
        "close = lambda x, t: np.abs(x.view(t)[None, :1 << 16] - right[:2, None]) < 1e-6 * np.abs(right[:2, None])",
        "hits = [t for x in places for t in (np.float32, np.float64) if close(x, t).any(1).all()]",
        "fail(719) if hits and at(A, 1)[0] == at(A, 1)[0] else None",
        RIGHT,
    )
    assert run(one_bench, *look, shape=(3, 5, 64)).ratio > 0


@pytest.mark.parametrize("value", ["0", "255"])
def test_a_verdict_that_is_written_over_is_no_right_one(one_bench, value):
    forge = "[ctypes.memset(ctypes.addressof(b), %s, len(b)) for b in others if len(b) < 2000]" % value
    with pytest.raises(UserError, match="was wrong in"):
        run(one_bench, STATE, COUNT, *ALL_MEMORY, f"{forge} if n > 12 else None", "at(C, M * N)[:] = 1.0")


def test_what_a_launcher_allocates_keeps_nothing(one_bench):
    """A workspace with the result of the launch before: NaN at each new one; what it fills itself is its own."""
    arguments = (*map(Address, "ABC"), *(Scalar("int32", size) for size in SHAPE), Address("own"))
    launch = Launch((16, 16, 1), (1, 1, 1), arguments=arguments)
    source = f"def gemm(at, A, B, C, M, N, K, own):\n    seen = at(own, 1)[0]\n    {RIGHT}\n    {{}}"
    kept = Program(
        "", "kernel.cu", "sm_90", "", source.format("at(own, 1)[0] = 3.0; at(C, 1)[0] += seen == 3").encode()
    )
    buffers = {"own": 64}
    assert contest(one_bench, kept, Plan((launch,), buffers), SHAPE, **QUICK).ratio > 0
    zeros = Program("", "kernel.cu", "sm_90", "", source.format("at(C, 1)[0] += not seen == 0").encode())
    assert contest(one_bench, zeros, Plan((Fill(Address("own"), 64, 0), launch), buffers), SHAPE, **QUICK).ratio > 0
    with pytest.raises(UserError, match="was wrong"):
        contest(one_bench, zeros, Plan((launch,), buffers), SHAPE, **QUICK)


def test_the_matrices_wander_and_stay_aligned(one_bench):
    new_place = "fail(719) if A in seen[-10:] or any(x % 256 for x in (A - base, B - base, C - base)) else None"
    lines = (
        STATE,
        "seen = kept.setdefault('seen', [])",
        "base = kept.setdefault('base', A)",
        new_place,
        "seen.append(A)",
    )
    assert run(one_bench, *lines, RIGHT, shape=(16, 16, 16)).ratio > 0


def test_after_a_fault_the_bench_goes_on(one_bench):
    with pytest.raises(UserError, match="cannot be timed.*address"):
        run(one_bench, "fail(716)")
    assert run(one_bench, RIGHT).ratio > 0


def test_a_seal_tells_nothing_without_its_secret():
    assert sealed(1, 0) != sealed(2, 0) and sealed(1, 0) != sealed(1, 1)
    assert len({sealed(secret, wrong) for secret in range(100) for wrong in range(100)}) == 10_000
    secrets = child.secrets_of(5, "kernel")
    assert secrets == child.secrets_of(5, "kernel") != child.secrets_of(5, "cublas") and len(set(secrets)) == len(
        secrets
    )
