// The view from the key light: depth only.
void main() {}
