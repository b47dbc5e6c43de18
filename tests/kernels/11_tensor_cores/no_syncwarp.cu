// expect: race
// says: Cs
// The lanes read back what others of the warp stored, without an order between them.

// IN PLACE OF
    __syncwarp();
// STANDS
