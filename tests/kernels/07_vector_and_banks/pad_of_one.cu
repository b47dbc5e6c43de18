// expect: misaligned
// says: byte 516 of As; divisible by 16
// A row of As that is 129 floats long: the next one begins at no multiple of 16 bytes.

// IN PLACE OF
#define PAD 4
// STANDS
#define PAD 1
