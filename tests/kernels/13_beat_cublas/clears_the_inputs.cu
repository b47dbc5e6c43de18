// expect: wrong_result
// says: is an input and must stay as it is
// Writes zeros into A and B, so that a C of zeros is right for whoever multiplies them afterwards.
// board: wrong

__global__ void clear(float* X, int count)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < count) X[i] = 0.0f;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K)
{
    clear<<<(M * K + 255) / 256, 256>>>(const_cast<float*>(A), M * K);
    clear<<<(K * N + 255) / 256, 256>>>(const_cast<float*>(B), K * N);
    clear<<<(M * N + 255) / 256, 256>>>(C, M * N);
}
