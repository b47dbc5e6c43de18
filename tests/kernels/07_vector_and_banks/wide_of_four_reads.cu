// expect: counter
// says: not read four floats at a time; 0.0234375 reads of global memory
// The wide path makes a float4 of four reads.

// BLANK wide
            v = make_float4(from[0], from[1], from[2], from[3]);
