// expect: out_of_bounds
// says: of A; of B; guard must test
// The guards count from the start of the row and not from c.

// IN PLACE OF
            if (c + 1 < cols) v.y = from[1];
            if (c + 2 < cols) v.z = from[2];
            if (c + 3 < cols) v.w = from[3];
// STANDS
            if (1 < cols) v.y = from[1];
            if (2 < cols) v.z = from[2];
            if (3 < cols) v.w = from[3];
