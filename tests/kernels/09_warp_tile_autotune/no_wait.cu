// expect: race
// says: has not been waited for
// The copies are not waited for.

// IN PLACE OF
        __pipeline_wait_prior(0);
// STANDS
