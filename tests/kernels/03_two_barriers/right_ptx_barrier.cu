// expect: passed
// The instruction itself.

// BLANK first_barrier
asm volatile("bar.sync 0;" ::: "memory");
// BLANK second_barrier
asm volatile("bar.sync 0;" ::: "memory");
