// What the key light sees: depth alone.
void main() {}
