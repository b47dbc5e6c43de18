// shape: 37,29,45
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// inputs: unit
// compare: 1e-5
template <typename T, int ROWS, int COLS>
struct Tile {
    T data[ROWS][COLS + 1];
    __device__ T& at(int r, int c) { return data[r][c]; }
};

struct Matrix {
    const float* data;
    int rows, cols;
    __device__ float operator()(int r, int c) const { return r < rows && c < cols ? data[r * cols + c] : 0.f; }
};

template <class F>
__device__ void each(int n, F f)
{
    for (int i = 0; i < n; ++i) f(i);
}

template <int TILE>
__device__ float dot(Tile<float, TILE, TILE>& as, Tile<float, TILE, TILE>& bs, int ty, int tx)
{
    float sum = 0;
    each(TILE, [&](int k) { sum += as.at(ty, k) * bs.at(k, tx); });
    return sum;
}

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    constexpr int TILE = 16;
    __shared__ Tile<float, TILE, TILE> As, Bs;
    Matrix a{A, M, K}, b{B, K, N};
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    float acc = 0;
    for (int t = 0; t < K; t += TILE) {
        As.at(ty, tx) = a(row, t + tx);
        Bs.at(ty, tx) = b(t + ty, col);
        __syncthreads();
        acc += dot<TILE>(As, Bs, ty, tx);
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
