// run: --launcher MatrixMulOnDevice
// expect: passed
// The launcher of a text book: copies to the GPU, launches, copies back.
struct Matrix { int width, height, stride; float* elements; };
#define BLOCK_SIZE 16

__device__ float GetElement(const Matrix A, int row, int col) { return A.elements[row * A.stride + col]; }
__device__ void SetElement(Matrix A, int row, int col, float value) { A.elements[row * A.stride + col] = value; }

__global__ void MatrixMulKernel(const float* Md, const float* Nd, float* Pd, int height, int width, int depth) {
    Matrix A = {depth, height, depth, const_cast<float*>(Md)}, B = {width, depth, width, const_cast<float*>(Nd)};
    Matrix C = {width, height, width, Pd};
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= height || col >= width) return;
    float Cvalue = 0;
    for (int e = 0; e < depth; ++e) Cvalue += GetElement(A, row, e) * GetElement(B, e, col);
    SetElement(C, row, col, Cvalue);
}

void MatrixMulOnDevice(const float* M_, const float* N_, float* P, int height, int width, int depth) {
    size_t size = height * depth * sizeof(float);
    float *Md, *Nd, *Pd;
    cudaMalloc((void**)&Md, size);
    cudaMemcpy(Md, M_, size, cudaMemcpyHostToDevice);
    cudaMalloc((void**)&Nd, size = depth * width * sizeof(float));
    cudaMemcpy(Nd, N_, size, cudaMemcpyHostToDevice);
    cudaMalloc((void**)&Pd, height * width * sizeof(float));
    dim3 dimBlock(BLOCK_SIZE, BLOCK_SIZE);
    dim3 dimGrid(ceil(width / (float)BLOCK_SIZE), ceil(height / (float)BLOCK_SIZE), 1);
    MatrixMulKernel<<<dimGrid, dimBlock>>>(Md, Nd, Pd, height, width, depth);
    cudaMemcpy(P, Pd, height * width * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(Md); cudaFree(Nd); cudaFree(Pd);
}
