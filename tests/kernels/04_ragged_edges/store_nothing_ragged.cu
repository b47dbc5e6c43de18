// expect: wrong_result
// says: never written
// Only whole tiles are stored.

// BLANK store
if ((blockIdx.y + 1) * TILE <= M && (blockIdx.x + 1) * TILE <= N) C[row * N + col] = acc;
