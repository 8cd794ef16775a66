// Feeds the fuzz target reproducible random bytes for some seconds.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "meshes.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* input, std::size_t size);
extern long accepted_frame_count;

int main(int argc, char** argv) {
    const int run_count = argc > 1 ? std::atoi(argv[1]) : 4000;
    std::vector<std::uint8_t> bytes;
    for (int run = 0; run < run_count; ++run) {
        ruckle::tests::Random random(static_cast<std::uint64_t>(run));
        bytes.resize(static_cast<std::size_t>(random.below(4000)));
        for (std::uint8_t& byte : bytes) {
            byte = static_cast<std::uint8_t>(random.next());
        }
        LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    }
    std::printf("%d inputs with %ld frames passed\n", run_count, accepted_frame_count);
    return accepted_frame_count > run_count ? 0 : 1;
}
