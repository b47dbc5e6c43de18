#ifndef CHECK_H
#define CHECK_H
#define CHECK_LAUNCH()                                                    \
    do {                                                                  \
        cudaError_t status = cudaGetLastError();                          \
        if (status != cudaSuccess) printf("%s\n", cudaGetErrorString(status)); \
    } while (0)
#endif
