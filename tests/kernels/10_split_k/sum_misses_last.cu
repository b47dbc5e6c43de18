// expect: wrong_result
// says: elements of C are wrong
// The last slice is left out.

// IN PLACE OF
        for (int s = 0; s < slices; ++s) {
// STANDS
        for (int s = 0; s < slices - 1; ++s) {
