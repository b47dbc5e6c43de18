// expect: race
// says: asynchronous copy; has not been waited for; __pipeline_wait_prior
// The newest group of copies is left under way, and that is the one that is needed now.

// IN PLACE OF
        __pipeline_wait_prior(0);
// STANDS
        __pipeline_wait_prior(1);
