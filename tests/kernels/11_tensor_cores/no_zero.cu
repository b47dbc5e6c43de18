// expect: uninitialized
// says: acc
// The sums begin with what was in the registers.

// BLANK zero
;
