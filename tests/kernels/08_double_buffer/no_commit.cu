// expect: race
// says: asynchronous copy; has not been waited for
// Copies that belong to no group are not waited for.

// IN PLACE OF
        __pipeline_commit();
// STANDS
