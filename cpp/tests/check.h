// A small test runner. TEST registers a test, CHECK counts and prints false conditions, and run_all runs all tests.
#pragma once

#include <cstdio>
#include <vector>

namespace ruckle::tests {

struct Test {
    const char* name;
    void (*body)();
};

inline std::vector<Test>& tests() {
    static std::vector<Test> all;
    return all;
}

inline int& failure_count() {
    static int count = 0;
    return count;
}

inline bool check(bool holds, const char* what, const char* file, int line) {
    if (!holds) {
        std::fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
        ++failure_count();
    }
    return holds;
}

inline int run_all() {
    for (const Test& test : tests()) {
        const int before = failure_count();
        test.body();
        std::printf("%s %s\n", failure_count() == before ? "passed" : "FAILED", test.name);
    }
    return failure_count() == 0 ? 0 : 1;
}

}  // namespace ruckle::tests

#define CHECK(...) ::ruckle::tests::check((__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)

#define TEST(name)                                          \
    static void name();                                     \
    static const bool name##_registered = [] {              \
        ::ruckle::tests::tests().push_back({#name, &name}); \
        return true;                                        \
    }();                                                    \
    static void name()
