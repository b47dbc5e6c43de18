// shape: 4,4,4
// block: 4,4
// grid: 1,1
// inputs: unit
// compare: 1e-5
#include <cstdio>

extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    int row = threadIdx.y, col = threadIdx.x;
    float acc = 0;
    for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];
    C[row * N + col] = acc;
    if (row == 1 && col == 2) {
        printf("plain\n");
        printf("%d %5d|%-5d|%05d %+d %u %x %#X %o %c %%\n", -7, 42, 42, 42, 42, 4000000000u, 255, 255, 8, 'g');
        printf("%f %.2f %10.3f|%e %g %s\n", 1.5f, 2.0 / 3, -1.25, 12345.678, 1e-7, "text");
        printf("%ld %lld %lu %llx %hd %hhu %i\n", -5l, 1ll << 40, 7ul, 0xabcdef0123ull, (short)-3, (unsigned char)200, 9);
        printf("%*d|%-*d|%.*f\n", 6, 3, 4, 5, 1, 0.25);
    }
}
