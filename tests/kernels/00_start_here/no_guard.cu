// expect: out_of_bounds
// says: guard
// The guard is gone.

// IN PLACE OF
    if (row < M && col < N) {
// STANDS
    {
