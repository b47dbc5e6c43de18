// bug: none - templates, constexpr, structs, lambdas and namespaces; the kernel has a C++ name
// expect: ok
// diag: no error finding at any shape
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: none
// shape_pass: 33,47,29; 16,16,16
// at_pass: ok
namespace course {
namespace detail {

constexpr int ceil_div(int a, int b) { return (a + b - 1) / b; }

struct Matrix {
    const float* data;
    int rows, cols;
    __device__ float operator()(int i, int j) const { return i < rows && j < cols ? data[i * cols + j] : 0.0f; }
};

template <typename T, int SIDE>
struct Tile {
    T data[SIDE][SIDE + 1];
    __device__ T& at(int i, int j) { return data[i][j]; }
};

template <typename T, int SIDE>
class Accumulator {
public:
    __device__ void add(Tile<T, SIDE>& a, Tile<T, SIDE>& b, int i, int j)
    {
        auto term = [&](int k) { return a.at(i, k) * b.at(k, j); };
        for (int k = 0; k < SIDE; ++k) sum_ += term(k);
    }
    __device__ T value() const { return sum_; }

private:
    T sum_ = T(0);
};

}  // namespace detail
}  // namespace course

__global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    using namespace course::detail;
    constexpr int SIDE = 16;
    __shared__ Tile<float, SIDE> As, Bs;
    const Matrix a{A, M, K}, b{B, K, N};
    const int i = threadIdx.y, j = threadIdx.x;
    const int row = blockIdx.y * SIDE + i, col = blockIdx.x * SIDE + j;
    Accumulator<float, SIDE> acc;
    for (int t = 0; t < ceil_div(K, SIDE); ++t) {
        As.at(i, j) = a(row, t * SIDE + j);
        Bs.at(i, j) = b(t * SIDE + i, col);
        __syncthreads();
        acc.add(As, Bs, i, j);
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc.value();
}
