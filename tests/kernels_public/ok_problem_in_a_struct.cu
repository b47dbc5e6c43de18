// run: --launcher choose --args "2,M,N,K,A,B,C"
// expect: passed
// The problem travels through the host in a struct, by reference and by pointer.
#include <array>
struct Problem {
    int rows, cols, depth;
    const float *left, *right;
    float* out;
    float scale = 1.0f;
};
constexpr int kTile = 16;

__global__ void multiply(const float* left, const float* right, float* out, int rows, int cols, int depth, float scale) {
    int r = blockIdx.y * kTile + threadIdx.y, c = blockIdx.x * kTile + threadIdx.x;
    if (r >= rows || c >= cols) return;
    float sum = 0.0f;
    for (int k = 0; k < depth; ++k) sum += left[r * depth + k] * right[k * cols + c];
    out[r * cols + c] = scale * sum;
}

static int tiles(int size) { return (size + kTile - 1) / kTile; }
static void start(const Problem* problem) {
    dim3 grid(tiles(problem->cols), tiles(problem->rows));
    multiply<<<grid, dim3(kTile, kTile)>>>(problem->left, problem->right, problem->out, problem->rows, problem->cols,
                                           problem->depth, problem->scale);
}
static void by_reference(const Problem& problem) {
    Problem copy = problem;
    copy.scale *= 1.0f;
    start(&copy);
}
std::array<int, 4> sizes_to_try() { return {128, 256, 512, 1024}; }

void choose(int which, int rows, int cols, int depth, const float* left, const float* right, float* out) {
    Problem problem{rows, cols, depth, left, right, out};
    switch (which) {
    case 2: by_reference(problem); break;
    default: break;
    }
}
