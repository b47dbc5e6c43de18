// What gemmlab.gpu.bench needs on the GPU beside the kernel that it times.

__device__ unsigned long long nanoseconds()
{
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

// Keeps the GPU waiting until *go has come to ticket, so that what is queued behind starts without a gap.
// It gives up after most_ns nanoseconds. One thread.
extern "C" __global__ void hold(const volatile int* go, int ticket, long long most_ns)
{
    const unsigned long long end = nanoseconds() + most_ns;
    while (*go < ticket && nanoseconds() < end) {
    }
}

// The cycles of this SM that pass in at least ns nanoseconds: passed[0] cycles in passed[1] nanoseconds. One thread.
extern "C" __global__ void sm_clock(long long* passed, long long ns)
{
    const unsigned long long start_ns = nanoseconds();
    const long long start = clock64();
    unsigned long long now = start_ns;
    while (now - start_ns < ns) {
        now = nanoseconds();
    }
    passed[0] = clock64() - start;
    passed[1] = now - start_ns;
}

// Adds to *wrong how many of the count elements of C are further from right than factor * magnitude; NaN is. *worst
// becomes the bits of the largest error, which order like the errors themselves, since none is negative.
extern "C" __global__ void compare(const float* C, const double* right, const double* magnitude, double factor,
                                   long long count, unsigned* wrong, unsigned* worst)
{
    unsigned mine = 0;
    float largest = 0.0f;
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        const double error = fabs(C[i] - right[i]);
        const bool within = error <= factor * magnitude[i];
        mine += !within;
        largest = fmaxf(largest, error == error ? float(error) : __int_as_float(0x7f800000));
    }
    if (mine) {
        atomicAdd(wrong, mine);
    }
    atomicMax(worst, __float_as_uint(largest));
}
