// Chooses the kernels once per process. All sets give the same bits but for products of operators in single precision
// (upsampling/operator_kernel.h), so that the choice is one of speed.
#include <cstdint>
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
namespace x86_64_v4 {
extern const OperatorBlocks operator_blocks;
void multiply_operator(const OperatorProduct& product, std::int64_t begin, std::int64_t end);
}  // namespace x86_64_v4
#endif

namespace {

const Kernels& choose_kernels() {
#if defined(RUCKLE_HAS_X86_64_V3)
    // tests compare the two sets on one machine
    const char* wanted = std::getenv("RUCKLE_INSTRUCTION_SET");
    const bool held_back = wanted && std::strcmp(wanted, baseline::kernels.name) == 0;
    if (!held_back && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma")) {
        static Kernels chosen = x86_64_v3::kernels;
        const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                          __builtin_cpu_supports("avx512vnni");
        if (wide && !(wanted && std::strcmp(wanted, x86_64_v3::kernels.name) == 0)) {
            chosen.operator_blocks = &x86_64_v4::operator_blocks;
            chosen.multiply_operator = x86_64_v4::multiply_operator;
        }
        return chosen;
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
