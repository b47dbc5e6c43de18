// expect: misaligned
// says: 16 bytes at once; of B; no multiple of 16
// 16 bytes at a time, wherever the row begins.

// IN PLACE OF
{
    if (aligned) {
// STANDS
{
    if (left > 3) {
