// expect: wrong_result
// says: Every element of C is 0
// Nothing is added: C is all zeros.

// BLANK fma
;
