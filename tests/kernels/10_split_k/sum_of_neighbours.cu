// expect: wrong_result
// says: elements of C are wrong
// The partial sums of one element are taken for neighbours.

// IN PLACE OF
            sum += workspace[s * count + i];
// STANDS
            sum += workspace[i * slices + s];
