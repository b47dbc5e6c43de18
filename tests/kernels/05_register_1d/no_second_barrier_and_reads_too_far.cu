// expect: race
// says: second __syncthreads() is missing; write after read
// The same line that runs beyond Bs also reads what others overwrite: neither fault explains the other.

// BLANK column
for (int m = 0; m < TM; ++m) {
    acc[m] += As[ty * TM + m][k] * Bs[k + 1][tx];
}

// IN PLACE OF
        __syncthreads();
    }
// STANDS
    }
