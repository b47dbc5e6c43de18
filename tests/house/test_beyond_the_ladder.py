"""docs/beyond_the_ladder.md shows the figures that were measured, all of them."""

import csv

from gemmlab.course.lesson import find_root


def test_the_table_is_that_of_the_measurements():
    docs = find_root() / "docs"
    with (docs / "beyond_the_ladder.csv").open(encoding="utf-8", newline="") as file:
        measured = list(csv.reader(file))[1:]
    lines = (docs / "beyond_the_ladder.md").read_text(encoding="utf-8").splitlines()
    table = [line for line in lines if line.startswith("| ") and not line.startswith("| |")]
    assert table == [f"| {what} | {' | '.join(f'{x} %' if x else '' for x in shares)} |" for what, *shares in measured]


def test_the_last_wave_is_counted():
    tiles = 4096 // 128 * (4096 // 256)
    assert (tiles, tiles // 132, tiles % 132) == (512, 3, 116)
