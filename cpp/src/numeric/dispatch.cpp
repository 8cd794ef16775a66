// Chooses the kernels once per process. Both sets give the same bits, so that the choice is one of speed alone.
#include <cstdlib>
#include <cstring>

#include "numeric/kernels.h"

namespace ruckle {

namespace baseline {
extern const Kernels kernels;
}
#if defined(RUCKLE_HAS_X86_64_V3)
namespace x86_64_v3 {
extern const Kernels kernels;
}
#endif

namespace {

const Kernels& choose_kernels() {
#if defined(RUCKLE_HAS_X86_64_V3)
    // tests compare the two sets on one machine
    const char* wanted = std::getenv("RUCKLE_INSTRUCTION_SET");
    const bool held_back = wanted && std::strcmp(wanted, baseline::kernels.name) == 0;
    if (!held_back && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) {
        return x86_64_v3::kernels;
    }
#endif
    return baseline::kernels;
}

}  // namespace

const Kernels& kernels() {
    static const Kernels& chosen = choose_kernels();
    return chosen;
}

}  // namespace ruckle
