// Chooses the instruction set: the largest set that the processor supports, or a smaller set named by an environment
// variable.
#include "numeric/dispatch.h"

#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace ruckle {

namespace {

// Returns the largest instruction set that this processor supports and that was compiled.
InstructionSet supported() {
#if defined(RUCKLE_HAS_X86_64_V3)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma")) {
        const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                          __builtin_cpu_supports("avx512vnni");
        return wide ? InstructionSet::x86_64_v4 : InstructionSet::x86_64_v3;
    }
#endif
    return InstructionSet::baseline;
}

// The environment variable RUCKLE_INSTRUCTION_SET may name a smaller set, so that tests can compare the sets on one
// machine. Other values have no effect.
InstructionSet choose() {
    const InstructionSet best = supported();
    const char* wanted = std::getenv("RUCKLE_INSTRUCTION_SET");
    for (const InstructionSet set : {InstructionSet::baseline, InstructionSet::x86_64_v3}) {
        if (wanted && set < best && std::strcmp(wanted, name_of(set)) == 0) {
            return set;
        }
    }
    return best;
}

}  // namespace

InstructionSet instruction_set() {
    static const InstructionSet chosen = choose();
    return chosen;
}

const char* name_of(InstructionSet set) {
    static constexpr const char* names[] = {"baseline", "x86-64-v3", "x86-64-v4"};
    return names[static_cast<int>(set)];
}

}  // namespace ruckle
