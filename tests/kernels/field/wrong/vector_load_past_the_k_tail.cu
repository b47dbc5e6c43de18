// bug: rows of A are read four elements at a time to the end, and past it where 4 does not divide K
// expect: oob
// diag: two float2 a turn; the last turn reads two elements too many
// says: of A; beyond its end
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: 16,16,18
// shape_pass: 16,16,20
// at_pass: ok
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= M || col >= N) return;
    const float2* a = reinterpret_cast<const float2*>(A + row * K);
    float acc = 0.0f;
    for (int k = 0; k < K; k += 4) {
        const float2 first = a[k / 2], second = a[k / 2 + 1];
        const float parts[4] = {first.x, first.y, second.x, second.y};
        for (int i = 0; i < 4; ++i)
            if (k + i < K) acc += parts[i] * B[(k + i) * N + col];
    }
    C[row * N + col] = acc;
}
