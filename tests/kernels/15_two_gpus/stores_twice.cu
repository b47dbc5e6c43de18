// expect: counter
// says: more than its elements crosses the link
// The tile is sent two times.

// IN PLACE OF
    for (int peer = 0; peer < world; ++peer) {
// STANDS
    for (int turn = 0; turn < 2 * world; ++turn) {
        const int peer = turn % world;
