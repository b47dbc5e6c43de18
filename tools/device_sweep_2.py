import sys, json

sys.path.insert(0, "tools")
from pathlib import Path
import sweep_kernels as s

S = Path("solutions")
BIG, SMALL, ODD = (4096, 4096, 4096), (1024, 1024, 512), (1001, 777, 513)
SIX = "BN // TN,BM // TM"
GRID = "cdiv(N,BN),cdiv(M,BM)"
V = []


def lesson(path, sizes, shapes, names=("BM", "BN", "BK", "TM", "TN"), block=SIX, **more):
    V.append(s.variant(path, dict(zip(names, sizes)) | more, block, GRID, shapes))


def fast(BM, BN, BK, TM, TN, ST, SL, shapes, **more):
    smem = 4 * ST * SL * BK * (BM + 4 + BN)
    V.append(
        s.variant(
            S / "fast/pipelined.cu",
            dict(BM=BM, BN=BN, BK=BK, TM=TM, TN=TN, STAGES=ST, SLICES=SL) | more,
            "(BM // TM) * (BN // TN) * SLICES",
            GRID,
            shapes,
            str(smem if smem > 48 * 1024 else 0),
        )
    )


def main():
    ALL = [BIG, SMALL, ODD]
    for t in (8, 16):
        V.append(s.variant(next(S.glob("01_*.cu")), {"TILE": t}, "TILE,TILE", "cdiv(N,TILE),cdiv(M,TILE)", [BIG]))
    six = next(S.glob("06_*.cu"))
    for z in (
        (64, 64, 32, 4, 4),
        (64, 128, 16, 4, 4),
        (64, 128, 32, 4, 4),
        (64, 64, 16, 4, 8),
        (64, 128, 16, 4, 8),
        (64, 128, 16, 8, 4),
        (32, 128, 16, 4, 4),
        (64, 128, 16, 8, 8),
        (64, 64, 16, 8, 8),
        (128, 128, 32, 8, 8),
    ):
        lesson(six, z, [BIG])
    for n in ("07s", "08s", "09s"):
        for z in (
            (128, 128, 8, 8, 8),
            (128, 128, 16, 8, 8),
            (128, 64, 16, 8, 8),
            (64, 128, 16, 8, 8),
            (64, 128, 16, 8, 4),
        ):
            lesson(S / f"try/{n}.cu", z, [BIG])
        lesson(S / f"try/{n}.cu", (128, 128, 8, 8, 8), [BIG], BLOCKS=2)
        lesson(S / f"try/{n}.cu", (128, 128, 16, 8, 8), [BIG], BLOCKS=2)
        lesson(S / f"try/{n}.cu", (128, 128, 16, 16, 8), [BIG])
        lesson(S / f"try/{n}.cu", (128, 256, 8, 16, 8), [BIG])
    for split in (0, 1):
        for order in (0, 1, 2):
            for at in (0, 1, 3):
                fast(128, 256, 8, 16, 8, 3, 1, [BIG], SPLIT=split, ORDER=order, COPY_AT=at)
            fast(128, 128, 8, 16, 8, 4, 1, [BIG], SPLIT=split, ORDER=order)
    T = [SMALL, ODD]
    for a in (
        (128, 64, 8, 8, 4, 3, 2),
        (128, 64, 8, 8, 8, 3, 2),
        (128, 64, 8, 8, 8, 3, 3),
        (64, 64, 8, 8, 4, 3, 2),
        (64, 64, 8, 8, 4, 3, 4),
        (64, 64, 8, 8, 8, 3, 2),
        (64, 64, 8, 8, 8, 3, 4),
        (64, 128, 8, 8, 4, 3, 2),
        (64, 128, 8, 8, 8, 3, 2),
        (128, 64, 16, 8, 4, 3, 2),
        (64, 64, 16, 8, 4, 3, 2),
        (64, 128, 16, 8, 4, 3, 1),
        (64, 128, 8, 8, 8, 4, 1),
        (128, 64, 8, 8, 4, 3, 1),
        (64, 64, 8, 8, 4, 3, 1),
        (128, 128, 8, 8, 8, 3, 2),
        (128, 64, 8, 16, 8, 3, 3),
        (128, 64, 8, 4, 8, 3, 2),
    ):
        fast(*a, T)
    for a in ((128, 64, 8, 8, 4, 3, 2), (64, 128, 8, 8, 4, 3, 2), (64, 64, 8, 8, 8, 3, 2)):
        fast(*a, T, SPLIT=0)
        fast(*a, T, ORDER=1)
    if "--few" in sys.argv:
        V[:] = V[::12]
    results = []
    for r in s.timed(V, 0.3):
        results.append(r)
        print(s.line(r), flush=True)
    from gemmlab import bench, roofline

    with bench.Bench() as b:
        print(roofline.measure_ceilings(b))
    print("=====")
    for r in s.by_speed(results):
        print(s.line(r))


if __name__ == "__main__":
    main()
