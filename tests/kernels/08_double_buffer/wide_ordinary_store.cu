// expect: counter
// says: not every copy goes on by itself; asynchronous copies, and 100 % are possible
// The wide path loads into a register and stores from there.

// BLANK wide
        *reinterpret_cast<float4*>(to) =
            left > 0 ? *reinterpret_cast<const float4*>(from) : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
