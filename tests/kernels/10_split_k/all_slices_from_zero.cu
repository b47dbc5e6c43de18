// expect: wrong_result
// says: elements of C are wrong
// Every slice begins at the first k: its block adds what others add too.

// IN PLACE OF
    const int k_first = blockIdx.z * slice;
// STANDS
    const int k_first = 0;
