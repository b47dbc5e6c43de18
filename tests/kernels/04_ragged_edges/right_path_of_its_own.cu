// expect: passed
// A block in the middle of C, and a step that is whole, need no guards.

// BLANK load_a
const bool inside = (blockIdx.y + 1) * TILE <= M && (blockIdx.x + 1) * TILE <= N && k0 + TILE <= K && K > 200;
As[ty][tx] = inside || (row < M && k0 + tx < K) ? A[row * K + (k0 + tx)] : 0.0f;
