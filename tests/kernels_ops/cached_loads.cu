// shape: 17,64,40
// block: 64
// grid: 1,M
// inputs: unit
// compare: 1e-5
extern "C" __global__ void gemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M,
                                int N, int K)
{
    int row = blockIdx.y, col = threadIdx.x;
    volatile __shared__ float cell[64];
    float acc = 0;
    for (int k = 0; k < K; k += 8) {
        acc += __ldg(&A[row * K + k]) * __ldg(B + k * N + col);
        acc += __ldcg(&A[row * K + k + 1]) * __ldca(B + (k + 1) * N + col);
        acc += __ldcs(&A[row * K + k + 2]) * __ldcv(B + (k + 2) * N + col);
        acc += __ldlu(&A[row * K + k + 3]) * B[(k + 3) * N + col];
        float4 four = __ldg(reinterpret_cast<const float4*>(&A[row * K + k + 4]));
        acc += four.x * B[(k + 4) * N + col] + four.y * B[(k + 5) * N + col];
        acc += four.z * B[(k + 6) * N + col] + four.w * B[(k + 7) * N + col];
    }
    cell[col] = acc;
    acc = cell[col];
    switch (row % 5) {
    case 0: __stcg(&C[row * N + col], acc); break;
    case 1: __stcs(&C[row * N + col], acc); break;
    case 2: __stwb(&C[row * N + col], acc); break;
    case 3: __stwt(&C[row * N + col], acc); break;
    default: *(volatile float*)&C[row * N + col] = acc;
    }
}
