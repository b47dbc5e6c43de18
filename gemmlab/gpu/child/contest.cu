// What gemmlab.gpu.contest needs on the GPU beside bench.cu.

__device__ unsigned long long mixed(unsigned long long x)
{
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

// Element i of the matrix of that seed: a multiple of 2^-23 in [-1, 1).
__device__ float element(unsigned long long seed, long long i)
{
    const int bits = int(mixed(seed ^ mixed(i)) >> 40);
    return float(bits - (1 << 23)) / float(1 << 23);
}

extern "C" __global__ void draw(float* X, long long count, unsigned long long seed)
{
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        X[i] = element(seed, i);
    }
}

// The same matrix in double, and its absolute values. It is drawn again and not read: a kernel may have written to X.
extern "C" __global__ void draw_double(double* plain, double* absolute, long long count, unsigned long long seed)
{
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        plain[i] = element(seed, i);
        absolute[i] = fabs(plain[i]);
    }
}

// Takes from what lies in the L2 cache the mark "evict last" that a kernel may have left there: what is so marked
// outlasts a fill of the cache. Lines of 128 bytes, which may begin before X and end behind it.
extern "C" __global__ void demote(const float* X, long long lines)
{
#if __CUDA_ARCH__ >= 800
    const unsigned long long first = reinterpret_cast<unsigned long long>(X) & ~127ull;
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < lines; i += gridDim.x * blockDim.x) {
        asm volatile("applypriority.global.L2::evict_normal [%0], 128;" ::"l"(first + 128 * i) : "memory");
    }
#endif
}

// How many elements were wrong, so that only who knows the secret can tell, or write, such a number. One thread.
extern "C" __global__ void seal(const unsigned* wrong, unsigned long long secret, unsigned long long* sealed)
{
    const unsigned long long inner = secret ^ mixed(*wrong);
    *sealed = mixed(inner) + inner;
}
