// expect: race
// says: asynchronous copy; has not been waited for; __pipeline_wait_prior
// Nobody waits for the copies: the barrier orders threads, not copies under way.

// IN PLACE OF
        __pipeline_wait_prior(0);
// STANDS
