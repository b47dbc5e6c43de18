// shape: 19,33,21
// block: 8,8
// grid: cdiv(N,8),cdiv(M,8)
// inputs: unit
// compare: 1e-5
struct Place {
    int row, col;
    float weight[3];
};

struct Pair {
    float sum;
    double check;
};

__noinline__ __device__ float product(const float* a, const float* b, int stride) { return *a * b[stride * 0]; }

__noinline__ __device__ Pair accumulate(Place place, Pair before, float value)
{
    return {before.sum + value * place.weight[1], before.check + value * (place.row >= 0 ? 1.0 : 0.0)};
}

__noinline__ __device__ void reset(Pair& pair, char flag, short zero)
{
    pair.sum = zero;
    pair.check = flag ? 0.0 : 1.0;
}

__noinline__ __device__ bool inside(unsigned char, int row, int col, int M, int N) { return row < M && col < N; }

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    Place place{(int)(blockIdx.y * 8 + threadIdx.y), (int)(blockIdx.x * 8 + threadIdx.x), {0.f, 1.f, 2.f}};
    Pair pair;
    reset(pair, 1, 0);
    if (!inside(3, place.row, place.col, M, N)) return;
    for (int k = 0; k < K; ++k)
        pair = accumulate(place, pair, product(A + place.row * K + k, B + k * N + place.col, k));
    C[place.row * N + place.col] = (pair.sum + (float)pair.check) / 2;
}
