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
    for f, zs in (("05ua", ((64,64,16,16),(64,64,32,16))),):
        for z in zs: lesson(S/f"try/{f}.cu", z, [BIG], ("BM","BN","BK","TM"), "BN,BM // TM")
    for f in ("06u", "06ua"):
        for z in ((64,64,16,4,4),(64,64,32,4,4),(128,128,8,8,8),(128,128,16,8,8)):
            lesson(S/f"try/{f}.cu", z, [BIG])
    for n in ("07", "08", "09"):
        lesson(S/f"try/{n}ua.cu", (64,64,16,4,4), ALL)
        lesson(S/f"try/{n}u.cu", (64,64,16,4,4), ALL)
        for k in ("ua", "usa"):
            for z in ((128,128,8,8,8),(128,128,16,8,8),(128,128,16,16,8),(64,128,16,8,8),(128,256,8,16,8)):
                lesson(S/f"try/{n}{k}.cu", z, [BIG])
        for z in ((128,128,16,8,8),(128,128,16,16,8)):
            lesson(S/f"try/{n}us.cu", z, [BIG])
        lesson(S/f"try/{n}usa.cu", (128,128,16,8,8), [BIG], BLOCKS=2)
    for order in (0, 1, 2):
        for first in (0, 1):
            for at in (0, 1, 2):
                for tm, tn, lanes in ((16, 8, {}), (8, 16, dict(LANES_X=4,LANES_Y=8))):
                    fast(128,256,8,tm,tn,3,1,[BIG],**(dict(ORDER=order,B_FIRST=first,COPY_AT=at) | lanes))
            fast(128,128,8,16,8,4,1,[BIG],SPLIT=1,ORDER=order,B_FIRST=first,COPY_AT=1)
            fast(128,128,8,8,16,4,1,[BIG],SPLIT=1,ORDER=order,B_FIRST=first,LANES_X=4,LANES_Y=8)
    T = [SMALL, ODD]
    for a in ((128,64,8,8,8,3,2),(64,64,8,8,8,3,2),(128,64,8,8,4,3,2),(64,128,8,8,8,3,2)):
        fast(*a, T, SPLIT=1, ORDER=1)
        fast(*a, T, SPLIT=1, ORDER=2)
        fast(*a, T, SPLIT=1, STAGED=0)
        fast(*a, T, SPLIT=1)
        fast(*a, T, SPLIT=1, B_FIRST=1)
    P = [(1024,1024,513),(1024,1023,512),(1024,1023,513),(1024,1024,512)]
    for a in ((128,64,8,8,8,3,2),(64,128,8,8,8,3,2),(64,64,8,8,8,3,2)):
        fast(*a, P, SPLIT=1)
    if "--few" in sys.argv:
        V[:] = V[::12]
    results = []
    for r in s.timed(V, 0.25):
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
