// expect: race
// says: asynchronous copy; must come after that wait
// The barrier comes first: then nobody knows whether the copies of the others have arrived.

// BLANK arrive
__syncthreads();
__pipeline_wait_prior(0);
