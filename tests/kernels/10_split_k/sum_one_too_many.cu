// expect: out_of_bounds
// says: beyond its end: workspace has
// One slice more than there are.

// IN PLACE OF
        for (int s = 0; s < slices; ++s) {
// STANDS
        for (int s = 0; s <= slices; ++s) {
