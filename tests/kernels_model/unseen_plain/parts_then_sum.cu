// K in eight parts along the grid's z. Each part has a C of its own in memory, and a second kernel adds them up.
// launcher: solve
#define PARTS 8

__global__ void part_of_k(const float* A, const float* B, float* parts, int M, int N, int K)
{
    const int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y, part = blockIdx.z;
    if (row >= M || col >= N) return;
    const int depth = (K + PARTS - 1) / PARTS, last = min(K, (part + 1) * depth);
    float sum = 0.0f;
    for (int k = part * depth; k < last; ++k) sum += A[row * K + k] * B[k * N + col];
    parts[(part * M + row) * N + col] = sum;
}

__global__ void sum_of_parts(const float* parts, float* C, int size)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= size) return;
    float sum = parts[i];
    for (int part = 1; part < PARTS; ++part) sum += parts[part * size + i];
    C[i] = sum;
}

void solve(const float* A, const float* B, float* C, int M, int N, int K)
{
    float* parts;
    cudaMalloc(&parts, sizeof(float) * PARTS * M * N);
    const dim3 block(32, 8), grid((N + 31) / 32, (M + 7) / 8, PARTS);
    part_of_k<<<grid, block>>>(A, B, parts, M, N, K);
    sum_of_parts<<<(M * N + 255) / 256, 256>>>(parts, C, M * N);
    cudaFree(parts);
}
