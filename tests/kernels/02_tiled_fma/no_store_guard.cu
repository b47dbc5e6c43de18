// expect: out_of_bounds
// says: of C; guard
// The store is not guarded.

// IN PLACE OF
    if (row < M && col < N) {
// STANDS
// IN PLACE OF
    }
}
// STANDS
}
