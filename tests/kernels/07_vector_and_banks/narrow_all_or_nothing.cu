// expect: wrong_result
// says: the last one to three elements of a row are left out
// Four that hang over the end of a row are all taken as 0.

// IN PLACE OF
            v.x = from[0];
            if (c + 1 < cols) v.y = from[1];
            if (c + 2 < cols) v.z = from[2];
            if (c + 3 < cols) v.w = from[3];
// STANDS
            if (c + 3 < cols) v = make_float4(from[0], from[1], from[2], from[3]);
