// expect: wrong_result
// says: no multiple of 4 long; only the first of each four neighbours
// The narrow path loads the first element only.

// IN PLACE OF
            if (c + 1 < cols) v.y = from[1];
            if (c + 2 < cols) v.z = from[2];
            if (c + 3 < cols) v.w = from[3];
// STANDS
