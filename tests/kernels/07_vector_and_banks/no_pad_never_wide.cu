// expect: counter
// says: not read four floats at a time
// Neither idea of the lesson: one float at a time from global memory, and rows of As that are not padded.

// BLANK pad
#define PAD 0
// BLANK aligned
    return false;
