// bug: four results are stored at once although rows of C need not start at a multiple of 16 bytes
// expect: misaligned
// diag: N is no multiple of 4
// says: 16 bytes at once; of C
// block: 8,16
// grid: cdiv(N,32),cdiv(M,16)
// smem: 0
// shape_fail: 16,34,8
// shape_pass: 16,36,8
// at_pass: ok
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = (blockIdx.x * 8 + threadIdx.x) * 4;
    if (row >= M || col + 3 >= N) {
        for (int j = col; row < M && j < N; ++j) {
            float acc = 0.0f;
            for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + j];
            C[row * N + j] = acc;
        }
        return;
    }
    float4 acc = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int k = 0; k < K; ++k) {
        const float a = A[row * K + k];
        const float* b = B + k * N + col;
        acc.x += a * b[0];
        acc.y += a * b[1];
        acc.z += a * b[2];
        acc.w += a * b[3];
    }
    *reinterpret_cast<float4*>(C + row * N + col) = acc;
}
