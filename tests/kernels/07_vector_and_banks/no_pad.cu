// expect: counter
// says: in each other's way; there are 768 wavefronts of shared memory that are due to bank conflicts, and 256 are enough
// Without padding: right numbers, and three times as many conflicts.

// BLANK pad
#define PAD 0
