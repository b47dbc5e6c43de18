// expect: out_of_bounds
// says: beyond its end: C is
// The store tests its row only.

// IN PLACE OF
                if (c + j < cols) to[j] = v[j];
// STANDS
                to[j] = v[j];
