// expect: uninitialized
// says: depends on a variable that was never set
// The sums begin with what was in the registers.

// BLANK zero
;
