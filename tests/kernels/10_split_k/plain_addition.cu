// expect: race
// says: threads of two blocks; workspace
// The blocks add to one place without atomics.

// IN PLACE OF
    float* own = workspace + blockIdx.z * M * N;
// STANDS
    float* own = workspace;

// IN PLACE OF
            *reinterpret_cast<float4*>(to) = make_float4(v[0], v[1], v[2], v[3]);
// STANDS
            for (int j = 0; j < 4; ++j) to[j] += v[j];
