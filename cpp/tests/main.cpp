#include "check.h"

int main() {
    return ruckle::tests::run_all();
}
