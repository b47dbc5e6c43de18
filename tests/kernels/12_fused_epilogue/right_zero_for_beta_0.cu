// expect: passed
// The branch stands around the factor, and the read in its own helper.

// IN PLACE OF
            if (beta != 0.0f) load4(C, M, N, r, c, old, wide_C);
// STANDS
            if (beta != 0.0f) {
                for (int j = 0; j < 4; ++j) {
                    if (r < M && c + j < N) old[j] = C[r * N + c + j];
                }
            }
