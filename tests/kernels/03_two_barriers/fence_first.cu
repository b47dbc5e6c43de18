// expect: race
// says: read after write
// A fence waits for nobody.

// BLANK first_barrier
__threadfence_block();
