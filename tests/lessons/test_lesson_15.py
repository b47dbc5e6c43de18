"""Lesson 15: its predictions come from the model, its launcher cuts as the text says, its record says what it is."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from student_kernels import student_kernels

from gemmlab import notebook
from gemmlab.check.check import check_kernel
from gemmlab.check.rules import measured
from gemmlab.course.lesson import load
from gemmlab.cuda.sizes import numbers_of
from gemmlab.kernel.plan import launches_of
from gemmlab.launcher.faults import LauncherError
from gemmlab.models.networks import devices
from gemmlab.records.links import NOT_RECORDED, OnDevices, products_table, recorded_links

CUBE, LAYER, SMALL = (8192, 8192, 8192), (4096, 11008, 4096), (1024, 1024, 1024)


def product(shape):
    (found,) = [one for one in recorded_links()[0].products if one.shape == shape]
    return found


@pytest.fixture(scope="module")
def lesson():
    return load("15")


def test_the_predictions_are_computed(lesson):
    record = recorded_links()[0]
    half, nccl = devices.gathered(*CUBE[:2], 2), record.rates("nccl_all_gather_gbs")
    assert {one.id: one.answer for one in lesson.predictions} == {
        "gather_bytes": pytest.approx(half / 1e6, abs=0.01),
        "reduce_bytes": pytest.approx(devices.ways(CUBE)[2].sent / 1e6, abs=0.01),
        "gather_ms": pytest.approx(devices.exchange_ms(half, record.rates()), abs=5e-4),
        "lost_in_turn": pytest.approx(100 * (1 - devices.share_in_turn(LAYER, 2, nccl)), abs=0.01),
        "flags": (CUBE[0] // 2 // 128) * (CUBE[1] // 128),
        "tensor_parallel": pytest.approx(devices.layers(4096, 4096, 11008)[2].sent / 1e6, abs=0.01),
        "with_exchange": product(CUBE).fused_ms,
        "small": product(SMALL).fused_ms,
    }


def test_what_is_exchanged():
    assert devices.gathered(6, 5, 1) == 0
    assert devices.gathered(8, 8, 4) == 4 * 64 * 3 // 4, "its share to each of three"
    rows, columns, k = devices.ways(LAYER)
    assert rows.sent == columns.sent == k.sent // 2
    assert k.held < min(rows.held, columns.held)
    tokens, wide, parallel = devices.layers(4096, 4096, 11008)
    assert tokens.sent < parallel.sent < wide.sent and parallel.held == tokens.held // 2


@pytest.mark.parametrize(
    "world, shape, rows, tiles",
    [
        (2, (259, 132, 20), [130, 129], 8),
        (2, (1, 1, 1), [1], 1),
        (3, (5, 7, 4), [2, 2, 1], 3),
        (1, (70, 130, 36), [70], 2),
    ],
)
def test_the_launcher_cuts_the_rows_and_waits_for_all_tiles(lesson, world, shape, rows, tiles):
    work = lesson.kernel.on(world).launches_of(lesson.solution).at(*shape)
    assert len(work.plans) == world
    products = [launches_of(plan)[0] for plan in work.plans if len(launches_of(plan)) == 2]
    assert [launch.arguments[4].value for launch in products] == rows
    waiting = [launches_of(plan)[-1] for plan in work.plans]
    assert {(one.kernel, one.grid) for one in waiting} == {("await_tiles", (1, 1, 1))}
    assert {one.arguments[1].value for one in waiting} == {tiles} and work.flags >= tiles
    assert sum(launch.grid[0] * launch.grid[1] for launch in products) == tiles


def test_the_solution_sends_each_element_once_and_reads_nothing(lesson):
    kernel = lesson.kernel
    counts = [measured(rule, kernel, kernel.solution, kernel.path.name)[0] for rule in kernel.rules]
    assert counts[:2] == [1, 0] and kernel.rules[0].limit < 1.01, "there is room for flags, and for nothing else"
    assert all(
        rule.limit >= count > 0.99 * rule.limit for rule, count in zip(kernel.rules[2:], counts[2:], strict=True)
    )


def test_it_runs_on_three_devices_too(lesson):
    kernel = lesson.kernel.on(3)
    few = replace(kernel, cases=tuple(case for case in kernel.cases if case.label == "ragged")[:2])
    assert check_kernel(few, kernel.solution, "k.cu", "emulator").passed
    assert [rule.shape[0] for rule in few.rules] == [384, 384, 384] and few.rules[0].limit == 2 * 1.001


def test_flags_are_for_kernels(lesson):
    source = lesson.solution.replace("    if (rows > 0) {", "    cudaMemset(flags, 0, 4);\n    if (rows > 0) {")
    with pytest.raises(LauncherError, match="cudaMemset writes flags, which only kernels may touch"):
        lesson.kernel.launches_of(source).at(*CUBE)


def test_one_waiting_block_leaves_room_for_the_others(lesson):
    """Beside a waiting block of every rank, an SM still takes a block of the product."""
    from gemmlab.kernel.limits import occupancy
    from gemmlab.trials.candidate import Candidate

    used = Candidate(lesson.solution, "k.cu", lesson.kernel.launches_of(lesson.solution)).compiled("sm_90").resources
    (waiters,) = numbers_of(lesson.starter, "WAITERS")
    product, waiting = used["gemm"], used["await_tiles"]
    assert occupancy(256, product.registers, product.shared_bytes, "sm_90").blocks_per_sm == 2
    assert 256 * product.registers + 2 * waiters * (waiting.registers + 8) <= 65536
    assert product.spill_store_bytes <= 8


def test_the_tables_and_the_picture_say_what_they_show(lesson, shown):
    opened = notebook.open("15")
    opened.ways(CUBE)
    assert "Predict first" in shown[-1]
    for one in lesson.predictions:
        opened.predict(one.id, 1)
    opened.ways(CUBE)
    assert "| rows of A | 402.7 | all-gather of C | 134.2 | 0.364 |" in shown[-1]
    opened.layers_cut(tokens=4096, width=4096, hidden=11008)
    assert "| columns, rows | 180.4 | all-reduce of the result | 67.1 |" in shown[-1]
    opened.exchange(LAYER)
    assert "in 6 waves" in shown[-1] and "3.93 ms in all" in shown[-1]
    opened.recorded_links()
    assert "369 GB/s" in shown[-1]
    opened.recorded_products()
    assert (
        "| 8192×8192×8192 | 25.936 ms | 13.076 ms | 13.082 ms | 1.98 × | 100.0 % | 10.756 ms | 11.195 ms |" in shown[-1]
    )
    opened.ways(CUBE, devices=0)
    assert "a whole number above 0" in shown[-1]
    opened.layers_cut(tokens=0)
    assert "whole numbers above 0" in shown[-1]


def test_a_record_says_what_it_is_of(tmp_path):
    (record,) = recorded_links()
    assert products_table([replace(record, products=())]) == NOT_RECORDED
    one = OnDevices(CUBE, 2, 20.0, 10.0, 10.4, 9.0, 9.5, 10.9)
    machine = {"gpu": "a GPU", "driver": "1", "date": "today", "commit": "c" * 40}
    table = products_table([replace(record, products=(one,), machine=machine)])
    row = "| 20.000 ms | 10.000 ms | 10.400 ms | 1.92 × | 96.2 % | 9.500 ms | 10.900 ms |"
    assert f"| 8192×8192×8192 {row}" in table
    assert "Recorded on a GPU, driver 1, today, commit cccccccccc; 2 of them" in table
    data = {"machine": {"gpu": "X", "devices": 2, "link": "L"}, "source": "s", "figures": {}, "products": [vars(one)]}
    (tmp_path / "x.json").write_text(json.dumps(data), encoding="utf-8")
    assert recorded_links(tmp_path)[0].products == (one,)


def test_what_was_tried_on_gpus_are_wrong_kernels_that_the_emulator_finds(lesson):
    (record,) = recorded_links()
    verdicts = {one.path.stem: one.expect for one in student_kernels(lesson.name)}
    shared, two = record.tried
    for one in record.tried:
        assert {verdicts[name] for name in (*one["right_numbers"], *one["found"])} == {"race"}
        assert {"fence_of_device", "no_fence", "no_barrier"} <= set(one["right_numbers"]), "as the text says"
    assert "flag_before_data" in shared["right_numbers"] and "flag_before_data" in two["found"]


def test_the_record_reaches_the_goals_and_says_what_the_text_says():
    """1.9 times one GPU at the cube; 95 % of the time without exchange at both large shapes; and what is first."""
    assert product(CUBE).speedup >= 1.9
    assert all(product(shape).kept >= 0.95 for shape in (CUBE, LAYER))
    for shape in (CUBE, LAYER, (4096, 4096, 4096)):
        assert product(shape).fast_ms < product(shape).cublas_nccl_ms < product(shape).fused_ms
    assert product(SMALL).speedup < 1


@pytest.mark.parametrize("sms, saves", [(132, 32), (4, 0)], ids=["whole tiles", "a shared last wave"])
def test_the_fast_kernel_is_right_on_two_devices(lesson, sms, saves):
    source = (lesson.root / "solutions/fast/two_gpus.cu").read_text(encoding="utf-8")
    for before, after in (("#define SMS 132", f"#define SMS {sms}"), ("#define SAVES 32", f"#define SAVES {saves}")):
        assert before in source
        source = source.replace(before, after)
    verdict = check_kernel(replace(lesson.kernel, rules=()), source, "two_gpus.cu", "emulator")
    assert (verdict.status, [one.message for one in verdict.findings]) == ("passed", [])


@pytest.mark.parametrize(
    "line, left",
    [
        ("    __syncthreads();\n    __threadfence_system();\n    if", "    if"),
        ("    tell(flags_of, tile0 + tile, 1, rank, world);\n", "    __syncthreads();\n"),
        ("        atomicExch_system(&flags[tile], 0u);\n", ""),
        ("< PIECES) {", "== 0u) {"),
    ],
)
def test_the_fast_kernel_without_its_order_is_found(lesson, line, left):
    source = (lesson.root / "solutions/fast/two_gpus.cu").read_text(encoding="utf-8")
    wrong = (
        source.replace(line, left)
        .replace("#define SMS 132", "#define SMS 4")
        .replace("#define SAVES 32", "#define SAVES 0")
    )
    assert wrong != source and line in source
    kernel = replace(lesson.kernel, rules=(), cases=lesson.kernel.cases[-2:])
    assert not check_kernel(kernel, wrong, "two_gpus.cu", "emulator").passed
