// expect: wrong_result
// says: only numbers that float16 has; belong in float
// Every partial sum goes through float16.

// BLANK multiply
wmma::mma_sync(acc[m][n], a[m], b[n], acc[m][n]);
for (int e = 0; e < acc[m][n].num_elements; ++e) {
    acc[m][n].x[e] = __half2float(__float2half(acc[m][n].x[e]));
}
