// shape: 14,64,16
// block: 64
// grid: 1,M
// inputs: unit
// compare: 1e-5
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

template <class Tile>
__device__ float sum(Tile tile, float x)
{
    for (int offset = tile.size() / 2; offset; offset /= 2) x += tile.shfl_down(x, offset);
    return tile.shfl(x, 0);
}

__device__ float compute(int row, float x, float* cell)
{
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    auto eight = cg::tiled_partition<8>(warp);
    auto four = cg::tiled_partition<4>(block);
    switch (row) {
    case 0: return sum(warp, x);
    case 1: return sum(eight, x);
    case 2: return sum(four, x);
    case 3: return eight.shfl_up(x, 1) + eight.shfl_xor(x, 3);
    case 4: return warp.ballot(x > 0) & 0xffff;
    case 5: return eight.any(x > 0.5f) + 2 * eight.all(x > -0.5f) + 4 * four.ballot(x > 0);
    case 6: return block.thread_rank() + block.size() * 1000 + block.group_index().y;
    case 7: return eight.thread_rank() + 10 * eight.size() + 100 * eight.meta_group_rank() + 1000 * eight.meta_group_size();
    case 8:
        cell[block.thread_rank()] = x;
        block.sync();
        return cell[63 - block.thread_rank()];
    case 9:
        cell[block.thread_rank()] = x;
        warp.sync();
        return cell[block.thread_rank() ^ 31];
    case 10: return cg::reduce(warp, x, cg::plus<float>());
    case 11: return cg::reduce(eight, (int)(x * 100), cg::greater<int>());
    case 12: {
        cg::coalesced_group active = cg::coalesced_threads();
        return active.size() + active.thread_rank();
    }
    default: return eight.match_any((int)(x * 3)) + block.thread_index().x + block.dim_threads().x;
    }
}

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float cell[64];
    int row = blockIdx.y, col = threadIdx.x;
    C[row * N + col] = compute(row, A[col], cell);
}
