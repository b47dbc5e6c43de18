// shape: 16,64,32
// block: 16,16
// grid: 1,1
// inputs: unit
// compare: 1e-5
struct __align__(16) Quad {
    float x[4];
};

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float4 Bs[32][16];
    __shared__ float2 As[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    As[ty][tx] = reinterpret_cast<const float2*>(A)[ty * (K / 2) + tx];
    Bs[ty][tx] = reinterpret_cast<const float4*>(B)[ty * (N / 4) + tx];
    *reinterpret_cast<Quad*>(&Bs[ty + 16][tx]) = reinterpret_cast<const Quad*>(B)[(ty + 16) * (N / 4) + tx];
    __syncthreads();
    float4 acc = make_float4(0, 0, 0, 0);
    for (int k = 0; k < 32; ++k) {
        float a = k % 2 ? As[ty][k / 2].y : As[ty][k / 2].x;
        float4 b = Bs[k][tx];
        acc.x += a * b.x;
        acc.y += a * b.y;
        acc.z += a * b.z;
        acc.w += a * b.w;
    }
    int2* target = reinterpret_cast<int2*>(C + ty * N + tx * 4);
    target[0] = make_int2(__float_as_int(acc.x), __float_as_int(acc.y));
    *reinterpret_cast<double*>(&target[1]) = __hiloint2double(__float_as_int(acc.w), __float_as_int(acc.z));
}
