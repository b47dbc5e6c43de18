import sys, json

sys.path.insert(0, "tools")
from pathlib import Path
import sweep_kernels as s

S = Path("solutions")
BIG, SMALL, ODD = (4096, 4096, 4096), (1024, 1024, 512), (1001, 777, 513)
SIX = "BN // TN,BM // TM"
GRID = "cdiv(N,BN),cdiv(M,BM)"
V = []


def lesson(name, sizes, shapes, names=("BM", "BN", "BK", "TM", "TN"), block=SIX):
    path = next(S.glob(f"{name}_*.cu"))
    V.append(s.variant(path, dict(zip(names, sizes)), block, GRID, shapes))


def fast(BM, BN, BK, TM, TN, ST, shapes, BL=1):
    smem = 4 * ST * BK * (BM + 4 + BN)
    V.append(
        s.variant(
            S / "fast/pipelined.cu",
            dict(BM=BM, BN=BN, BK=BK, TM=TM, TN=TN, STAGES=ST, BLOCKS=BL),
            "(BM // TM) * (BN // TN)",
            GRID,
            shapes,
            str(smem if smem > 48 * 1024 else 0),
        )
    )


def main():
    ALL = [BIG, SMALL, ODD]
    for n in ("00", "01", "02"):
        V.append(s.variant(next(S.glob(f"{n}_*.cu")), {}, "TILE,TILE", "cdiv(N,TILE),cdiv(M,TILE)", ALL))
    V.append(s.variant(next(S.glob("02_*.cu")), {"TILE": 32}, "TILE,TILE", "cdiv(N,TILE),cdiv(M,TILE)", ALL))
    FIVE = ("BM", "BN", "BK", "TM")
    for sizes in (
        (64, 64, 16, 16),
        (64, 64, 8, 8),
        (64, 64, 8, 16),
        (128, 64, 16, 16),
        (128, 64, 16, 32),
        (128, 128, 16, 16),
        (64, 64, 32, 16),
        (128, 64, 8, 16),
        (128, 128, 8, 32),
    ):
        lesson("05", sizes, ALL if sizes == (64, 64, 16, 16) else [BIG], FIVE, "BN,BM // TM")
    for n in ("06", "07", "08"):
        for sizes in (
            (64, 64, 16, 4, 4),
            (64, 64, 16, 8, 4),
            (128, 128, 8, 8, 8),
            (128, 128, 16, 8, 8),
            (128, 64, 16, 8, 8),
            (128, 64, 8, 8, 8),
            (128, 128, 16, 8, 4),
            (128, 128, 16, 4, 4),
            (128, 128, 16, 16, 8),
        ):
            lesson(n, sizes, ALL if sizes == (64, 64, 16, 4, 4) else [BIG])
    for sizes in ((64, 64, 16, 4, 4), (128, 128, 16, 16, 8), (64, 128, 16, 8, 8)):
        lesson("09", sizes, ALL if sizes == (64, 64, 16, 4, 4) else [BIG])
    for a in (
        (128, 256, 8, 16, 8, 3),
        (128, 256, 8, 16, 8, 4),
        (128, 256, 16, 16, 8, 3),
        (256, 128, 8, 16, 8, 3),
        (128, 128, 8, 16, 8, 3),
        (128, 128, 8, 16, 8, 4),
        (128, 128, 16, 16, 8, 3),
        (128, 256, 8, 8, 8, 3),
    ):
        fast(*a, [BIG])
    for a in ((128, 128, 8, 8, 8, 3, 2), (128, 128, 8, 8, 8, 4, 2), (128, 128, 16, 8, 8, 3, 2)):
        fast(*a[:6], [BIG], a[6])
    for a in (
        (64, 64, 8, 8, 4, 3),
        (64, 64, 16, 8, 4, 3),
        (64, 64, 16, 8, 4, 4),
        (64, 64, 8, 4, 4, 4),
        (64, 64, 16, 4, 4, 3),
        (64, 64, 32, 4, 4, 3),
        (64, 64, 32, 8, 4, 3),
        (64, 64, 16, 8, 8, 4),
        (128, 64, 8, 8, 4, 3),
        (128, 64, 8, 8, 4, 4),
        (128, 64, 16, 8, 4, 3),
        (128, 64, 16, 8, 4, 4),
        (128, 64, 32, 8, 4, 3),
        (128, 64, 16, 8, 8, 3),
        (128, 64, 16, 4, 4, 3),
        (64, 128, 16, 8, 4, 3),
        (64, 128, 16, 8, 8, 3),
        (128, 128, 16, 8, 8, 3),
        (64, 128, 8, 8, 8, 4),
    ):
        fast(*a, [SMALL, ODD])
    if "--few" in sys.argv:
        V[:] = V[::12]
    results = []
    for r in s.timed(V, 0.3):
        results.append(r)
        print(s.line(r), flush=True)
    print("=====")
    for r in s.by_speed(results):
        print(s.line(r))


if __name__ == "__main__":
    main()
