// Loops of a wave step, compiled once per instruction set (wave_kernels.h).
#include "waves/wave_kernels.h"

#include "numeric/angles.h"
#include "numeric/quads.h"
#include "waves/wave_limits.h"

namespace ruckle::RUCKLE_INSTRUCTION_SET {

namespace {

constexpr int L = native_lanes;

// gather: returns the rows of four numbers with the given indices, one row per lane. scatter: writes one row per lane.
inline Quads<L> gather(const float* rows, const int32_t* index) {
    Floats<4> found[L];
    for (int k = 0; k < L; ++k) {
        found[k] = load<Floats<4>>(rows + 4 * (int64_t)index[k]);
    }
    return transpose<L>(found);
}
inline void scatter(float* rows, const int32_t* index, Quads<L> values) {
    alignas(32) float found[4 * L];
    store_quads<L>(found, values);
    for (int k = 0; k < L; ++k) {
        store(rows + 4 * (int64_t)index[k], load<Floats<4>>(found + 4 * k));
    }
}
inline Floats<L> load_lanes(const float* from) {
    return load<Floats<L>>(from);
}

// Calls block(slot, lane, first row, end of rows) for L slots at a time in [begin, end). The values of these slots
// begin at `lane` in each row of their group.
template <class Block>
inline void for_slots(const WaveMesh& mesh, int64_t begin, int64_t end, Block block) {
    for (int64_t i = begin; i < end; i += L) {
        const int32_t* const rows = mesh.group_rows + i / wave_group;
        block(i, (int)(i % wave_group), rows[0], rows[1]);
    }
}

template <int N>
inline Floats<N> square(Floats<N> a) {
    return a * a;
}
// Returns x^exponent for x in [0, 1].
template <int N>
inline Floats<N> share_to(Floats<N> x, float exponent) {
    if (exponent == 0.5f) {
        return sqrt(x);
    }
    const Floats<N> power = exp2<N>(log2<N>(max(x, splat<N>(1e-30f))) * exponent);
    return exponent == 0.0f ? splat<N>(1.0f) : power;
}

template <int N>
void measure(const WaveStep& s, int64_t i) {
    Floats<4> first[N], second[N];
    for (int lane = 0; lane < N; ++lane) {
        const int32_t* const face = s.mesh.faces + 3 * (i + lane);
        const Floats<4> origin = load_triple(s.scratch.positions + 3 * (int64_t)face[0]);
        first[lane] = load_triple(s.scratch.positions + 3 * (int64_t)face[1]) - origin;
        second[lane] = load_triple(s.scratch.positions + 3 * (int64_t)face[2]) - origin;
    }
    const Quads<N> e = transpose<N>(first), f = transpose<N>(second), across = cross<N>(e, f);
    const Floats<N> ee = dot<N>(e, e), ef = dot<N>(e, f), ff = dot<N>(f, f), area_square = dot<N>(across, across);
    const auto u = load<Floats<N>>(s.mesh.inverse_edges[0] + i), w = load<Floats<N>>(s.mesh.inverse_edges[1] + i),
               z = load<Floats<N>>(s.mesh.inverse_edges[2] + i);
    // C = FᵀF in the basis of the rest triangle, computed from dot products of the current edges
    const Floats<N> along = w * ee + z * ef;
    const Floats<N> c11 = u * u * ee, c12 = u * along, c22 = w * (along + z * ef) + z * z * ff;
    const Floats<N> mean = 0.5f * (c11 + c22), difference = 0.5f * (c11 - c22);
    const Floats<N> radius = sqrt(difference * difference + c12 * c12);
    // compression is √(1 / γ_min), with γ the eigenvalues of C; 1 / γ_min = γ_max / det C is precise for any compression
    const Floats<N> shrinking = u * z * (u * z) * area_square;
    const Floats<N> compression = sqrt((mean + radius) / max(max(shrinking, mean * mean * 1e-6f), splat<N>(1e-30f)));
    const Floats<N> left = s.scratch.remaining ? load<Floats<N>>(s.scratch.remaining + i) : splat<N>(1.0f);
    const Floats<N> up = u * z * across.b / sqrt(max(shrinking, splat<N>(1e-12f)));
    const Floats<N> stretch = max(sqrt(mean + radius) - 1.0f, splat<N>(0.0f));
    const Floats<N> kept = (1.0f + s.numbers.resting_share * up) / (1.0f + s.numbers.taut_share * stretch);
    // with this order of arguments, min and max turn NaN into 0
    const Floats<N> lost = min(max((compression * left - 1.0f) * kept, splat<N>(0.0f)), splat<N>(most_lost_length));
    const Ints<N> has_axis = (radius > mean * isotropic_share) & (mean < 1e30f);
    const Floats<N> weight = has_axis ? lost + least_tensor_weight : splat<N>(0.0f);
    const Floats<N> scale = weight / (has_axis ? radius : splat<N>(1.0f));
    const Ints<N> sound = u > 0.0f;
    const auto none = splat<N>(0.0f);
    // the axis of λ_min is perpendicular to that of λ_max
    store_quads<N>(s.scratch.face_tensors + 4 * i, {sound ? weight : none, has_axis ? -difference * scale : none,
                                                    has_axis ? -c12 * scale : none, sound ? lost : none});
}

void measure_faces(const WaveStep& s, int64_t begin, int64_t end) {
    for_lanes(begin, end, [&]<int N>(int64_t i) { measure<N>(s, i); });
}

void gather_tensors(const WaveStep& s, int64_t begin, int64_t end) {
    for_slots(s.mesh, begin, end, [&](int64_t i, int lane, int32_t first, int32_t last) {
        Quads<L> sum{};
        for (const WaveFaces* row = s.mesh.faces_around + first; row != s.mesh.faces_around + last; ++row) {
            const Quads<L> face = gather(s.scratch.face_tensors, row->faces + lane);
            const Floats<L> share = load_lanes(row->shares + lane), cosine = load_lanes(row->turns[0] + lane),
                            sine = load_lanes(row->turns[1] + lane);
            sum.a += face.a * share, sum.d += face.d * share;
            sum.b += face.b * cosine - face.c * sine, sum.c += face.c * cosine + face.b * sine;
        }
        scatter(s.scratch.sources, s.mesh.slots + i, sum);
    });
}

void start_tensors(const WaveStep& s, int64_t begin, int64_t end) {
    const float* const before[3] = {s.columns.tensor[0], s.columns.tensor[1], s.columns.tensor[2]};
    for (int64_t v = begin; v < end; ++v) {
        const float* const source = s.scratch.sources + 4 * v;
        for (int k = 0; k < 3; ++k) {
            s.scratch.tensors[4 * v + k] = s.numbers.first ? source[k] : before[k][v];
        }
    }
}

void smooth_tensors(const WaveStep& s, int64_t begin, int64_t end) {
    for_slots(s.mesh, begin, end, [&](int64_t i, int lane, int32_t first, int32_t last) {
        Quads<L> sum{};
        for (const WaveEnds* row = s.mesh.ends + first; row != s.mesh.ends + last; ++row) {
            const Quads<L> neighbor = gather(s.scratch.tensors, row->ends + lane);
            const Floats<L> x = load_lanes(row->turns[0] + lane), y = load_lanes(row->turns[1] + lane);
            const Floats<L> cosine = x * x - y * y, sine = 2.0f * x * y;
            sum.a += neighbor.a;
            sum.b += neighbor.b * cosine - neighbor.c * sine, sum.c += neighbor.c * cosine + neighbor.b * sine;
        }
        const Quads<L> source = gather(s.scratch.sources, s.mesh.slots + i);
        const Floats<L> keep = load_lanes(s.mesh.keeps + i), spread = load_lanes(s.mesh.spreads + i);
        scatter(
            s.scratch.tensors, s.mesh.slots + i,
            {source.a * keep + sum.a * spread, source.b * keep + sum.b * spread, source.c * keep + sum.c * spread, Floats<L>{}});
    });
}

template <int N>
void start_block(const WaveStep& s, int64_t v) {
    const Turns<N> z = turns_of<N>(load<Floats<N>>(s.columns.phase + v)),
                   fine = turns_of<N>(load<Floats<N>>(s.columns.fine_phase + v));
    const Floats<N> w = load_quads<N>(s.scratch.aims + 4 * v).c;
    store_quads<N>(s.scratch.waves + 4 * v, {w * z.cosine, w * z.sine, w * fine.cosine, w * fine.sine});
}

void start_waves(const WaveStep& s, int64_t begin, int64_t end) {
    for_lanes(begin, end, [&]<int N>(int64_t v) { start_block<N>(s, v); });
}

template <int N>
void aim_block(const WaveStep& s, int64_t v) {
    const Quads<N> smooth = load_quads<N>(s.scratch.tensors + 4 * v);
    const Floats<N> share = splat<N>(s.numbers.tensor_share);
    Floats<N> tensor[3] = {smooth.a, smooth.b, smooth.c};
    for (int k = 0; k < 3; ++k) {
        const auto before = load<Floats<N>>(s.columns.tensor[k] + v);
        tensor[k] = before + share * (tensor[k] - before);
        store(s.columns.tensor[k] + v, tensor[k]);
    }
    // The direction is the unit vector at half of the angle of (x, y), computed from the longer of two vectors with
    // this direction. On loose cloth, compression along the level direction has more weight, so that folds are
    // vertical. At short sleeves, compression along the arm has more weight.
    const Floats<N> x = tensor[1] + load<Floats<N>>(s.mesh.drapes[0] + v) * tensor[0],
                    y = tensor[2] + load<Floats<N>>(s.mesh.drapes[1] + v) * tensor[0], length = sqrt(x * x + y * y);
    const Ints<N> forward = x > 0.0f, known = length > 1e-20f;
    const Floats<N> a = forward ? length + x : y, b = forward ? y : length - x;
    const Floats<N> inverse = 1.0f / (known ? sqrt(a * a + b * b) : splat<N>(1.0f));
    const auto wx = load<Floats<N>>(s.columns.covector[0] + v), wy = load<Floats<N>>(s.columns.covector[1] + v);
    const auto cosine = load<Floats<N>>(s.mesh.bends[0] + v), sine = load<Floats<N>>(s.mesh.bends[1] + v);
    const auto k = load<Floats<N>>(s.mesh.wave_numbers + v);
    Floats<N> dx = inverse * (cosine * a - sine * b), dy = inverse * (cosine * b + sine * a);
    // the sign of the direction is arbitrary, so use that of the previous covector
    const Floats<N> size = dx * wx + dy * wy < 0.0f ? -k : k;
    // if the direction is undefined, uses that of the previous frame; in the first frame, the level direction
    const Floats<N> before = sqrt(wx * wx + wy * wy);
    const Ints<N> born = before > 0.0f;
    const Floats<N> kept = k / (born ? before : splat<N>(1.0f));
    dx = known ? size * dx : (born ? kept * wx : k);
    dy = known ? size * dy : kept * wy;
    // slope from the lost length, limited to `steepest`; cloth that loses less than the slack slides or hangs, and
    // forms few folds
    const Quads<N> source = load_quads<N>(s.scratch.sources + 4 * v);
    // folds absorb the length lost across them; part of the length lost along them is ignored if the cloth has slack,
    // because it slides
    const Floats<N> turned = source.b * (dx * dx - dy * dy) + source.c * (2.0f * dx * dy);
    const Floats<N> across = min(max(0.5f * (source.a + turned / (k * k)), splat<N>(0.0f)), source.d);
    const Floats<N> lost = source.d - s.numbers.slid_share * (source.d - across);
    const Floats<N> folded = lost / (lost + s.numbers.slack + 1e-12f);
    const Floats<N> slope = load<Floats<N>>(s.mesh.gains + v) * folded * sqrt(lost);
    const Floats<N> cap = s.numbers.steepest / (1.0f + lost);
    // a lower bound, because the squares of tiny slopes may underflow to 0, and 0 / 0 is NaN
    const Floats<N> root = max(sqrt(slope * slope + cap * cap), splat<N>(1e-30f));
    const Floats<N> target = slope * cap / (root * k * s.numbers.profile_slope);
    const Floats<N> weight = (load<Floats<N>>(s.columns.amplitude + v) + target) / s.numbers.r_min + least_phase_weight;
    const auto px = load<Floats<N>>(s.columns.pull[0] + v), py = load<Floats<N>>(s.columns.pull[1] + v);
    store_quads<N>(s.scratch.aims + 4 * v, {dx + px, dy + py, weight, target});
}

void aim(const WaveStep& s, int64_t begin, int64_t end) {
    for_lanes(begin, end, [&]<int N>(int64_t v) { aim_block<N>(s, v); });
}

void turn(const WaveStep& s, int64_t begin, int64_t end) {
    for_slots(s.mesh, begin, end, [&](int64_t i, int lane, int32_t first, int32_t last) {
        const Quads<L> own = gather(s.scratch.aims, s.mesh.slots + i);
        Floats<L> total{};
        for (int32_t r = first; r < last; ++r) {
            const WaveEnds& row = s.mesh.ends[r];
            const auto vector = [&](int end, int axis) { return load_lanes(s.mesh.edges[r].vectors[end][axis] + lane); };
            const Quads<L> other = gather(s.scratch.aims, row.ends + lane);
            total += other.c;
            // the order of these products is symmetric, so that both ends of an edge compute equal signs
            const Floats<L> agreement = load_lanes(row.turns[0] + lane) * (own.a * other.a + own.b * other.b) +
                                        load_lanes(row.turns[1] + lane) * (own.b * other.a - own.a * other.b);
            const Floats<L> sign = agreement < 0.0f ? splat<L>(-1.0f) : splat<L>(1.0f);
            const Floats<L> omega =
                0.5f * ((own.a * vector(0, 0) + own.b * vector(0, 1)) + sign * (other.a * vector(1, 0) + other.b * vector(1, 1)));
            const Turns<L> z = turns_of<L>(omega), fine = turns_of<L>(omega * s.numbers.ratio);
            WaveTurns& turns = s.scratch.turns[r];
            store(turns.waves[0] + lane, z.cosine), store(turns.waves[1] + lane, -z.sine);
            store(turns.waves[2] + lane, fine.cosine), store(turns.waves[3] + lane, -fine.sine);
            store(turns.signs + lane, sign);
        }
        store(s.scratch.weights + i, own.c), store(s.scratch.totals + i, total);
    });
}

// Returns the waves that the neighbours' waves z predict for the start vertices of the half edges: e^{-iω} z, or
// e^{-iω} times the conjugate of z if the sign is -1.
template <int N>
inline Quads<N> predicted(Quads<N> z, const WaveTurns& turns, int lane) {
    const auto wave = [&](int k) { return load<Floats<N>>(turns.waves[k] + lane); };
    const auto sign = load<Floats<N>>(turns.signs + lane);
    const Floats<N> imaginary = z.b * sign, fine = z.d * sign;
    return {z.a * wave(0) - imaginary * wave(1), z.a * wave(1) + imaginary * wave(0), z.c * wave(2) - fine * wave(3),
            z.c * wave(3) + fine * wave(2)};
}

// Replaces a wave (real, imaginary) by the sum of itself and phase_relaxation times the mean prediction of its
// neighbours, scaled to the length w. If the sum is 0, the wave does not change.
inline void renew(Floats<L>& real, Floats<L>& imaginary, Floats<L> sum_real, Floats<L> sum_imaginary, Floats<L> total,
                  Floats<L> w) {
    const Floats<L> share = phase_relaxation * w, x = real * total + sum_real * share,
                    y = imaginary * total + sum_imaginary * share;
    const Floats<L> length = sqrt(x * x + y * y);
    const Ints<L> known = length > 1e-20f;
    const Floats<L> scale = w / (known ? length : splat<L>(1.0f));
    real = known ? x * scale : real;
    imaginary = known ? y * scale : imaginary;
}

void sweep_phases(const WaveStep& s, int64_t begin, int64_t end) {
    for_slots(s.mesh, begin, end, [&](int64_t i, int lane, int32_t first, int32_t last) {
        Quads<L> sum{};
        for (int32_t r = first; r < last; ++r) {
            const Quads<L> z = predicted<L>(gather(s.scratch.waves, s.mesh.ends[r].ends + lane), s.scratch.turns[r], lane);
            sum.a += z.a, sum.b += z.b, sum.c += z.c, sum.d += z.d;
        }
        const Floats<L> w = load_lanes(s.scratch.weights + i), total = load_lanes(s.scratch.totals + i);
        Quads<L> z = gather(s.scratch.waves, s.mesh.slots + i);
        renew(z.a, z.b, sum.a, sum.b, total, w);
        renew(z.c, z.d, sum.c, sum.d, total, w);
        scatter(s.scratch.next_waves, s.mesh.slots + i, z);
    });
}

void follow_tree(const WaveStep& s, const int32_t* order, const int32_t* halves) {
    for (int64_t i = 0; i < s.mesh.vertex_count; ++i) {
        const int64_t v = order[i], h = halves[v];
        if (h >= 0) {
            const int64_t row = h / wave_group, j = s.mesh.ends[row].ends[h % wave_group];
            const Quads<1> z = predicted<1>(load_quads<1>(s.scratch.waves + 4 * j), s.scratch.turns[row], (int)(h % wave_group));
            const Floats<1> scale{s.scratch.aims[4 * v + 2] / s.scratch.aims[4 * j + 2]};
            store_quads<1>(s.scratch.waves + 4 * v, {z.a * scale, z.b * scale, z.c * scale, z.d * scale});
        }
    }
}

void compare_phases(const WaveStep& s, int64_t begin, int64_t end) {
    for_slots(s.mesh, begin, end, [&](int64_t i, int lane, int32_t first, int32_t last) {
        const Quads<L> own = gather(s.scratch.waves, s.mesh.slots + i);
        Floats<L> x{}, y{}, agreed{};
        for (int32_t r = first; r < last; ++r) {
            const WaveSlopes& row = s.mesh.slopes[r];
            const Quads<L> z = predicted<L>(gather(s.scratch.waves, s.mesh.ends[r].ends + lane), s.scratch.turns[r], lane);
            const Floats<L> real = z.a * own.a + z.b * own.b;
            const Floats<L> rest = arc_tangent<L>(z.b * own.a - z.a * own.b, real);
            x += load_lanes(row.slopes[0] + lane) * rest, y += load_lanes(row.slopes[1] + lane) * rest;
            agreed += real;
        }
        const Floats<L> most = load_lanes(s.scratch.weights + i) * (load_lanes(s.scratch.totals + i) + 1e-9f);
        // a lower bound, because the weights of empty slots are 0
        scatter(s.scratch.gradients, s.mesh.slots + i, {x, y, agreed / max(most, splat<L>(1e-30f)), Floats<L>{}});
    });
}

template <int N>
void pull_block(const WaveStep& s, int64_t v) {
    const Quads<N> gradient = load_quads<N>(s.scratch.gradients + 4 * v), aim = load_quads<N>(s.scratch.aims + 4 * v);
    const auto px = load<Floats<N>>(s.columns.pull[0] + v), py = load<Floats<N>>(s.columns.pull[1] + v);
    const auto k = load<Floats<N>>(s.mesh.wave_numbers + v);
    // the covector before the pull has the length k
    const Floats<N> dx = (aim.a - px) / k, dy = (aim.b - py) / k;
    const Floats<N> x = pull_share * (gradient.a + px), y = pull_share * (gradient.b + py);
    // limits of the pull: it may change the wave number by half, and the direction by less
    const Floats<N> along_limit = k * most_pull_along, across_limit = k * most_pull_across;
    const Floats<N> along = min(max(x * dx + y * dy, -along_limit), along_limit);
    const Floats<N> across = min(max(y * dx - x * dy, -across_limit), across_limit);
    store(s.columns.pull[0] + v, along * dx - across * dy);
    store(s.columns.pull[1] + v, along * dy + across * dx);

    const Floats<N> agreed = share_to<N>(min(max(gradient.c, splat<N>(0.0f)), splat<N>(1.0f)), s.numbers.coherence);
    store(s.scratch.targets + v, aim.d * agreed * load<Floats<N>>(s.mesh.limits + v));
}

void pull_covectors(const WaveStep& s, int64_t begin, int64_t end) {
    for_lanes(begin, end, [&]<int N>(int64_t v) { pull_block<N>(s, v); });
}

// Wraps an angle in [-2π, 2π] to [-π, π].
template <int N>
inline Floats<N> wrapped(Floats<N> angle) {
    constexpr float pi = 3.14159265f;
    return angle > pi ? angle - 2.0f * pi : angle < -pi ? angle + 2.0f * pi : angle;
}

// Returns the phase of a unit wave (real, imaginary) minus `phase`, in [-π, π].
template <int N>
inline Floats<N> turn_from(Floats<N> phase, Floats<N> real, Floats<N> imaginary) {
    return wrapped<N>(arc_tangent<N>(imaginary, real) - phase);
}

// Moves covectors, phases and amplitudes of N vertices as far as the bound allows (proof in wave_field.h). Returns the
// number of limited vertices.
template <int N>
int move_block(const WaveStep& s, int64_t v) {
    const WaveNumbers& n = s.numbers;
    const auto column = [v](float* values) { return load<Floats<N>>(values + v); };
    const Quads<N> z = load_quads<N>(s.scratch.waves + 4 * v);
    const Floats<N> phase = column(s.columns.phase), fine = column(s.columns.fine_phase), amplitude = column(s.columns.amplitude);
    const Floats<N> wx = column(s.columns.covector[0]), wy = column(s.columns.covector[1]);
    const Floats<N> turn = turn_from<N>(phase, z.a, z.b), fine_turn = turn_from<N>(fine, z.c, z.d);
    const Floats<N> rise = (column(s.scratch.targets) - amplitude) * n.amplitude_share;
    const Quads<N> aim = load_quads<N>(s.scratch.aims + 4 * v);
    const Floats<N> x = aim.a - wx, y = aim.b - wy, way = sqrt(x * x + y * y);
    const float top =
        1.0f + 2.0f * n.sharpness + n.sag + n.detail + n.lift * abs<1>(splat<1>(1.0f - 2.0f * n.sharpness + n.detail))[0];
    const float steep = 1.0f + 2.0f * n.sharpness + 2.0f * n.sag;
    const Floats<N> reach = load<Floats<N>>(s.mesh.reaches + v) * covector_reach;
    const Floats<N> turning = steep * abs<N>(turn) + n.detail * abs<N>(fine_turn) + (steep + n.detail * n.ratio) * reach * way +
                              2.0f * n.sag * way / max(sqrt(wx * wx + wy * wy), splat<N>(1e-30f));
    const Floats<N> change = top * abs<N>(rise) + amplitude * turning;
    const Ints<N> held = n.first ? Ints<N>{} : change > n.bound;
    const Floats<N> share = held ? n.bound / max(change, splat<N>(1e-30f)) : splat<N>(1.0f);
    store(s.columns.covector[0] + v, wx + share * x);
    store(s.columns.covector[1] + v, wy + share * y);
    store(s.columns.phase + v, wrapped<N>(phase + share * turn));
    store(s.columns.fine_phase + v, wrapped<N>(fine + share * fine_turn));
    store(s.columns.amplitude + v, amplitude + share * rise);
    return __builtin_popcount(lane_bits(held));
}

int64_t move(const WaveStep& s, int64_t begin, int64_t end) {
    int64_t held = 0;
    for_lanes(begin, end, [&]<int N>(int64_t v) { held += move_block<N>(s, v); });
    return held;
}

// Adds heights and gradients at points of a face: h = Σ b² a f(θ) / Σ b². The gradient results from the chain rule.
void add_heights(const WavePatch& patch, const WaveProfile& profile, const HeightBlock& block) {
    using Real = Floats<L>;
    const float q = profile.sharpness, o = profile.detail, ratio = profile.ratio;
    for (int64_t i = 0; i < block.count; i += L) {
        const Real b[3] = {load<Real>(block.barycentric[0] + i), load<Real>(block.barycentric[1] + i),
                           load<Real>(block.barycentric[2] + i)};
        const Real inverse = 1.0f / (b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
        // slopes are derivatives with respect to the barycentric coordinates
        Real values[3], height{}, slopes[3] = {};
        for (int v = 0; v < 3; ++v) {
            const float *const turns = patch.turns[v], a = patch.amplitudes[v], d = patch.sags[v];
            const Real turn = turns[0] * b[0] + turns[1] * b[1] + turns[2] * b[2];
            const Turns<L> z = turns_of<L>(patch.phases[v] + turn), fine = turns_of<L>(patch.fine_phases[v] + ratio * turn);
            // q cos 2θ + d sin 2θ = 2 cos θ (q cos θ + d sin θ) - q
            const Real second = q * z.cosine + d * z.sine, weight = b[v] * b[v] * inverse;
            values[v] = a * (z.cosine + 2.0f * z.cosine * second + o * fine.cosine + profile.offset);
            const Real slope =
                weight *
                (a * (2.0f * (z.cosine * (d * z.cosine - q * z.sine) - z.sine * second) - z.sine - o * ratio * fine.sine));
            height += weight * values[v];
            for (int j = 0; j < 3; ++j) {
                slopes[j] += slope * turns[j];
            }
        }
        for (int v = 0; v < 3; ++v) {
            // derivative of the weights w: Σ_j a_j f_j ∂w_j/∂b_v
            slopes[v] += 2.0f * b[v] * inverse * (values[v] - height);
        }
        store(block.height + i, load<Real>(block.height + i) + height);
        for (int axis = 0; axis < 3; ++axis) {
            const Real along = slopes[0] * patch.gradients[0][axis] + slopes[1] * patch.gradients[1][axis] +
                               slopes[2] * patch.gradients[2][axis];
            store(block.gradient[axis] + i, load<Real>(block.gradient[axis] + i) + along);
        }
    }
}

constexpr WaveKernels kernels = {.measure_faces = measure_faces,
                                 .gather_tensors = gather_tensors,
                                 .start_tensors = start_tensors,
                                 .smooth_tensors = smooth_tensors,
                                 .start_waves = start_waves,
                                 .aim = aim,
                                 .turn = turn,
                                 .sweep_phases = sweep_phases,
                                 .follow_tree = follow_tree,
                                 .compare_phases = compare_phases,
                                 .pull_covectors = pull_covectors,
                                 .move = move,
                                 .add_heights = add_heights};

}  // namespace
}  // namespace ruckle::RUCKLE_INSTRUCTION_SET

constinit const ruckle::WaveKernels ruckle::WaveKernels::RUCKLE_INSTRUCTION_SET = ruckle::RUCKLE_INSTRUCTION_SET::kernels;
