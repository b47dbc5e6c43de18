// expect: counter
// says: not read four floats at a time; 0.0234375 reads of global memory
// One element at a time everywhere: whatever stands in the wide path is never run.

// BLANK aligned
    return false;
