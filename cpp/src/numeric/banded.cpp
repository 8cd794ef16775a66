#include "numeric/banded.h"

namespace ruckle {

namespace {

// vector type of the compiler for the lanes of a BandedRow, so that each operation is one or two instructions
using Lanes = double __attribute__((vector_size(8 * banded_lanes), may_alias));

Lanes& lanes(BandedRow::Lanes& values) {
    return *reinterpret_cast<Lanes*>(values.data());
}

}  // namespace

// Factors the matrices into L D Lᵀ row by row, with forward substitution in the same pass, then computes the back
// substitution. The solution replaces `right`; the other members of the rows are overwritten. Each row depends only on
// the two previous rows, which remain in registers. l1, l2 are the entries of L below the diagonal, d is the entry of
// D.
void solve_banded(BandedRow* rows, int count) {
    // values of the previous row (suffix 1) and of the row before the previous row (suffix 2): inverse of D, entries to
    // the next row (coupling) and to the row after it (far), right-hand side
    Lanes inverse1{}, inverse2{}, coupling1{}, far1{}, far2{}, right1{}, right2{};
    for (int i = 0; i < count; ++i) {
        BandedRow& row = rows[i];
        const Lanes l1 = coupling1 * inverse1, l2 = far2 * inverse2;
        const Lanes d = lanes(row.diagonal) - l1 * coupling1 - l2 * far2;
        const Lanes right = lanes(row.right) - l1 * right1 - l2 * right2;
        const Lanes coupling = lanes(row.first) - l1 * far1;
        const Lanes inverse = 1.0 / d;
        inverse2 = inverse1, inverse1 = inverse;
        far2 = far1, far1 = lanes(row.second);
        right2 = right1, right1 = right;
        coupling1 = coupling;
        lanes(row.diagonal) = inverse;
        lanes(row.first) = coupling;
        lanes(row.right) = right;
    }
    // back substitution; the first pass has replaced the rows by the factors
    Lanes next1{}, next2{};
    for (int i = count - 1; i >= 0; --i) {
        BandedRow& row = rows[i];
        const Lanes x = (lanes(row.right) - lanes(row.first) * next1 - lanes(row.second) * next2) * lanes(row.diagonal);
        lanes(row.right) = x;
        next2 = next1;
        next1 = x;
    }
}

}  // namespace ruckle
