// Runs a fuzz target without libFuzzer: on files, or on reproducible random bytes. The arguments limit the number of
// inputs or the time.
//
//     fuzz_step 4000              inputs 0 to 3999
//     fuzz_step 4000 100000       inputs 100000 to 103999
//     fuzz_step seconds=600       inputs from 0 on, for 600 seconds
//     fuzz_step crash-1234 ...    the bytes of these files
//
// If an invariant is violated, the driver prints the arguments that run this input again.
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "meshes.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* input, std::size_t size);
extern long accepted_frame_count, call_count;

namespace {

using Clock = std::chrono::steady_clock;

// Number of the running input, for the message about a violated invariant.
std::uint64_t current_input = 0;

void name_input(int) {
    std::fprintf(stderr, "again: 1 %llu\n", static_cast<unsigned long long>(current_input));
}

void run_random_input(std::uint64_t number) {
    current_input = number;
    ruckle::tests::Random random(number);
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(random.below(4000)));
    for (std::uint8_t& byte : bytes) {
        byte = static_cast<std::uint8_t>(random.next());
    }
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

long number_of(std::string_view text, long otherwise) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), otherwise);
    return error == std::errc() && end == text.data() + text.size() ? otherwise : -1;
}

int run_files(int count, char** paths) {
    for (int i = 0; i < count; ++i) {
        std::ifstream file(paths[i], std::ios::binary);
        const std::string bytes((std::istreambuf_iterator<char>(file)), {});
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    }
    std::printf("%d files passed\n", count);
    return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view first = argc > 1 ? argv[1] : "4000";
    const bool for_so_long = first.starts_with("seconds=");
    const long amount = number_of(first.substr(for_so_long ? 8 : 0), 0), from = argc > 2 ? number_of(argv[2], 0) : 0;
    if (amount < 0 || from < 0) {
        return run_files(argc - 1, argv + 1);
    }
    const Clock::time_point end = Clock::now() + std::chrono::seconds(amount);
    std::signal(SIGABRT, name_input);
    long input = 0;
    while (for_so_long ? Clock::now() < end : input < amount) {
        run_random_input(static_cast<std::uint64_t>(from + input++));
    }
    std::printf("%ld inputs with %ld frames in %ld calls passed\n", input, accepted_frame_count, call_count);
    return accepted_frame_count > input ? EXIT_SUCCESS : EXIT_FAILURE;
}
