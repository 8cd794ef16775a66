// Draws only depths, for the view from the key light.
void main() {}
