// expect: passed
// Without padding: more bank conflicts, the same C.

// IN PLACE OF
#define PAD 4
// STANDS
#define PAD 0
