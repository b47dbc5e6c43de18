// expect: wrong_result
// says: multiple of 4 long; the wide access must take all four
// The wide path loads one element of the four.

// IN PLACE OF
            v = *reinterpret_cast<const float4*>(from);
// STANDS
            v.x = from[0];
