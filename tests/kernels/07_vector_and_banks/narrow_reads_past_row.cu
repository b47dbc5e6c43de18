// expect: out_of_bounds
// says: of A; guard must test
// The narrow path reads all four, also those beyond the end of the row.

// IN PLACE OF
            if (c + 1 < cols) v.y = from[1];
            if (c + 2 < cols) v.z = from[2];
            if (c + 3 < cols) v.w = from[3];
// STANDS
            v.y = from[1];
            v.z = from[2];
            v.w = from[3];
