// Instruction sets: each kernel is compiled once per set, and a process uses one set.
//
// A kernel is a loop over whole arrays. It processes the elements [begin, end), so that threads can share an array. All
// sets give the same bits, except products of operators in single precision (upsampling/operator_kernel.h).
//
// How to add a kernel:
//  1. NAME_kernel.h of the room declares the plain structs that the kernel reads and writes, and its table:
//         struct NameKernels {
//             void (*move)(const NameArrays& arrays, int64_t begin, int64_t end);
//             static const NameKernels baseline, x86_64_v3;
//         };
//  2. NAME_kernel.cpp defines `move` in an unnamed namespace inside ruckle::RUCKLE_INSTRUCTION_SET, with the vector types of
//     numeric/lanes.h, and fills the table of the set that it is compiled for:
//             constexpr NameKernels kernels = {.move = move};
//         }  // both namespaces end here
//         constinit const ruckle::NameKernels ruckle::NameKernels::RUCKLE_INSTRUCTION_SET = ruckle::RUCKLE_INSTRUCTION_SET::kernels;
//     Kernels may include inline code only from headers of the same namespace (numeric/lanes.h explains the reason).
//  3. CMakeLists.txt lists the source in `all_kernels`; also in `wide_kernels` if its table declares x86_64_v4.
//  4. Callers write kernels<NameKernels>().move(arrays, 0, count).
#pragma once

namespace ruckle {

// Largest native_lanes (numeric/lanes.h) of all instruction sets. Integer vectors of x86-64-v4 are wider.
inline constexpr int most_lanes = 8;

enum class InstructionSet { baseline, x86_64_v3, x86_64_v4 };

// Returns the largest compiled set that this processor supports. The environment variable RUCKLE_INSTRUCTION_SET may
// select a smaller set.
InstructionSet instruction_set();

// Returns "baseline", "x86-64-v3" or "x86-64-v4".
const char* name_of(InstructionSet set);

// Returns the kernel table of a set, or of the next smaller set that has a compiled table.
template <class Table>
const Table& kernels_of([[maybe_unused]] InstructionSet set) {
#if defined(RUCKLE_HAS_X86_64_V3)
    if constexpr (requires { Table::x86_64_v4; }) {
        if (set >= InstructionSet::x86_64_v4) {
            return Table::x86_64_v4;
        }
    }
    if (set >= InstructionSet::x86_64_v3) {
        return Table::x86_64_v3;
    }
#endif
    return Table::baseline;
}

// Returns the kernel table for the instruction set of this process.
template <class Table>
const Table& kernels() {
    static const Table& chosen = kernels_of<Table>(instruction_set());
    return chosen;
}

}  // namespace ruckle
