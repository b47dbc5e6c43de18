// bug: none - the tail of the unrolled loop is a switch that falls through; a goto leaves the nest
// expect: ok
// diag: no error finding at any shape
// block: 16,16
// grid: cdiv(N,16),cdiv(M,16)
// smem: 0
// shape_fail: none
// shape_pass: 17,19,29; 16,16,16; 3,3,2; 3,3,3
// at_pass: ok
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    const float *a = A + row * K, *b = B + col;
    float acc = 0.0f;
    int k = 0;
    if (row >= M || col >= N) goto end;
    for (; k + 4 <= K; k += 4)
        acc += a[k] * b[k * N] + a[k + 1] * b[(k + 1) * N] + a[k + 2] * b[(k + 2) * N] + a[k + 3] * b[(k + 3) * N];
    switch (K - k) {
    case 3:
        acc += a[k + 2] * b[(k + 2) * N];
    case 2:
        acc += a[k + 1] * b[(k + 1) * N];
    case 1:
        acc += a[k] * b[k * N];
    }
    C[row * N + col] = acc;
end:
    return;
}
