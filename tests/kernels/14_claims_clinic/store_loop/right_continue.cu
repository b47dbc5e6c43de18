// expect: passed
// Rows below C are passed over one by one.

// IN PLACE OF
        if (r >= M) break;
// STANDS
        if (r >= M) continue;
