// expect: counter
// says: in the order in which they come
// Atomic additions to a C of zeros: right numbers, in an order that nobody knows.

// IN PLACE OF
            *reinterpret_cast<float4*>(to) = make_float4(v[0], v[1], v[2], v[3]);
// STANDS
            for (int j = 0; j < 4; ++j) atomicAdd(to + j, v[j]);

// IN PLACE OF
                if (c + j < cols) to[j] = v[j];
// STANDS
                if (c + j < cols) atomicAdd(to + j, v[j]);

// IN PLACE OF
    float* own = workspace + blockIdx.z * M * N;
// STANDS
    float* own = workspace;

// IN PLACE OF
    partial_sums<<<dim3(tiles_x, tiles_y, slices), dim3(BN / TN, BM / TM)>>>(A, B, workspace, M, N, K, slice);
    reduce<<<(M * N + 255) / 256, 256>>>(workspace, C, M * N, slices);
// STANDS
    cudaMemset(C, 0, sizeof(float) * M * N);
    partial_sums<<<dim3(tiles_x, tiles_y, slices), dim3(BN / TN, BM / TM)>>>(A, B, C, M, N, K, slice);

// IN PLACE OF
        partial_sums<<<dim3(tiles_x, tiles_y), dim3(BN / TN, BM / TM)>>>(A, B, C, M, N, K, slice);
        return;
// STANDS
        cudaMemset(C, 0, sizeof(float) * M * N);
        partial_sums<<<dim3(tiles_x, tiles_y), dim3(BN / TN, BM / TM)>>>(A, B, C, M, N, K, slice);
        return;
