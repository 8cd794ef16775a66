// The loops of a wave step (wave_kernels.h).
#include "waves/wave_kernels.h"

#include "numeric/angles.h"
#include "numeric/quads.h"
#include "waves/wave_limits.h"

namespace ruckle::RUCKLE_INSTRUCTION_SET {

namespace {

constexpr int L = native_lanes;

// values[stride * index[k] + offset] in lane k.
template <int N>
inline Floats<N> gather(const float* values, const int32_t* index, int index_stride = 1, int stride = 1) {
    Floats<N> result;
    for (int k = 0; k < N; ++k) {
        result[k] = values[stride * (int64_t)index[index_stride * k]];
    }
    return result;
}
template <int N>
inline Floats<N> square(Floats<N> a) {
    return a * a;
}
// x^exponent for x in [0, 1].
template <int N>
inline Floats<N> share_to(Floats<N> x, float exponent) {
    if (exponent == 0.5f) {
        return sqrt(x);
    }
    const Floats<N> power = exp2<N>(log2<N>(max(x, splat<N>(1e-30f))) * exponent);
    return exponent == 0.0f ? splat<N>(1.0f) : power;
}

template <int N>
void measure(const WaveMesh& mesh, const WaveScratch& scratch, int64_t i) {
    Floats<4> first[N], second[N];
    for (int lane = 0; lane < N; ++lane) {
        const int32_t* const face = mesh.faces + 3 * (i + lane);
        const Floats<4> origin = load_triple(scratch.positions + 3 * (int64_t)face[0]);
        first[lane] = load_triple(scratch.positions + 3 * (int64_t)face[1]) - origin;
        second[lane] = load_triple(scratch.positions + 3 * (int64_t)face[2]) - origin;
    }
    const Quads<N> e = transpose<N>(first), f = transpose<N>(second), across = cross<N>(e, f);
    const Floats<N> ee = dot<N>(e, e), ef = dot<N>(e, f), ff = dot<N>(f, f), area_square = dot<N>(across, across);
    const auto u = load<Floats<N>>(mesh.inverse_edges[0] + i), w = load<Floats<N>>(mesh.inverse_edges[1] + i),
               z = load<Floats<N>>(mesh.inverse_edges[2] + i);
    // C = FᵀF in the basis of the rest triangle, from the products of the current edges
    const Floats<N> along = w * ee + z * ef;
    const Floats<N> c11 = u * u * ee, c12 = u * along, c22 = w * (along + z * ef) + z * z * ff;
    const Floats<N> mean = 0.5f * (c11 + c22), difference = 0.5f * (c11 - c22);
    const Floats<N> radius = sqrt(difference * difference + c12 * c12);
    // 1 / λ_min = λ_max / det F, which keeps its digits under strong compression
    const Floats<N> shrinking = u * z * (u * z) * area_square;
    const Floats<N> compression = sqrt((mean + radius) / max(max(shrinking, mean * mean * 1e-6f), splat<N>(1e-30f)));
    const Floats<N> left = scratch.remaining ? load<Floats<N>>(scratch.remaining + i) : splat<N>(1.0f);
    // in this order NaN counts as 0
    const Floats<N> lost = min(max(compression * left - 1.0f, splat<N>(0.0f)), splat<N>(most_lost_length));
    const Ints<N> has_axis = (radius > mean * isotropic_share) & (mean < 1e30f);
    const Floats<N> weight = has_axis ? lost + least_tensor_weight : splat<N>(0.0f);
    const Floats<N> scale = weight / (has_axis ? radius : splat<N>(1.0f));
    const Ints<N> sound = u > 0.0f;
    const auto none = splat<N>(0.0f);
    // the axis of λ_min is perpendicular to that of λ_max
    store_quads<N>(scratch.face_tensors + 4 * i, {sound ? weight : none, has_axis ? -difference * scale : none,
                                                  has_axis ? -c12 * scale : none, sound ? lost : none});
}

void measure_faces(const WaveMesh& mesh, const WaveScratch& scratch, int64_t begin, int64_t end) {
    for_lanes(begin, end, [&]<int N>(int64_t i) { measure<N>(mesh, scratch, i); });
}

// Returns a tensor in a basis rotated by θ. turn: (1, cos 2θ, sin 2θ) times a weight.
inline Floats<4> turned(Floats<4> tensor, Floats<4> turn) {
    const Floats<4> kept = __builtin_shufflevector(turn, turn, 0, 1, 1, 0),
                    crossed = __builtin_shufflevector(turn, turn, 3, 2, 2, 3);
    const Floats<4> other = __builtin_shufflevector(tensor, tensor, 0, 2, 1, 3);
    return tensor * kept + other * (crossed * Floats<4>{0.0f, -1.0f, 1.0f, 0.0f});
}

void gather_tensors(const WaveMesh& mesh, const WaveScratch& scratch, int64_t begin, int64_t end) {
    for (int64_t v = begin; v < end; ++v) {
        Floats<4> sum{};
        for (int32_t c = mesh.vertex_offsets[v]; c < mesh.vertex_offsets[v + 1]; ++c) {
            const auto face = load<Floats<4>>(scratch.face_tensors + 4 * (int64_t)mesh.vertex_faces[c]);
            sum += turned(face, load<Floats<4>>(mesh.corner_turns + 4 * (int64_t)c));
        }
        store(scratch.sources + 4 * v, sum);
    }
}

void smooth_tensors(const WaveMesh& mesh, const WaveScratch& scratch, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
        const int64_t v = mesh.order[i];
        Floats<4> sum{};
        for (int32_t h = mesh.half_offsets[v]; h < mesh.half_offsets[v + 1]; ++h) {
            const auto neighbor = load<Floats<4>>(scratch.tensors + 4 * (int64_t)mesh.half_ends[h]);
            sum += turned(neighbor, load<Floats<4>>(mesh.half_turns + 4 * (int64_t)h));
        }
        const auto source = load<Floats<4>>(scratch.sources + 4 * v);
        store(scratch.tensors + 4 * v, source * mesh.keeps[v] + sum * mesh.spreads[v]);
    }
}

template <int N>
void start_block(const WaveColumns& columns, const WaveScratch& scratch, int64_t v) {
    const Turns<N> z = turns_of<N>(load<Floats<N>>(columns.phase + v)),
                   fine = turns_of<N>(load<Floats<N>>(columns.fine_phase + v));
    const auto w = load<Floats<N>>(scratch.weights + v);
    store_quads<N>(scratch.waves + 4 * v, {w * z.cosine, w * z.sine, w * fine.cosine, w * fine.sine});
}

void start_waves(const WaveColumns& columns, const WaveScratch& scratch, int64_t begin, int64_t end) {
    for_lanes(begin, end, [&]<int N>(int64_t v) { start_block<N>(columns, scratch, v); });
}

template <int N>
void aim_block(const WaveMesh& mesh, const WaveNumbers& numbers, const WaveColumns& columns, const WaveScratch& scratch,
               int64_t v) {
    const Quads<N> smooth = load_quads<N>(scratch.tensors + 4 * v);
    const Floats<N> share = splat<N>(numbers.tensor_share);
    Floats<N> tensor[3] = {smooth.a, smooth.b, smooth.c};
    for (int k = 0; k < 3; ++k) {
        const auto before = load<Floats<N>>(columns.tensor[k] + v);
        tensor[k] = before + share * (tensor[k] - before);
        store(columns.tensor[k] + v, tensor[k]);
    }
    // the unit vector at half of the angle of (x, y), from the longer of two vectors in that direction
    // on loose cloth, level compression has more weight, so that folds run downward; on short sleeves, that along the arm
    const Floats<N> x = tensor[1] + load<Floats<N>>(mesh.drapes[0] + v) * tensor[0],
                    y = tensor[2] + load<Floats<N>>(mesh.drapes[1] + v) * tensor[0], length = sqrt(x * x + y * y);
    const Ints<N> forward = x > 0.0f, known = length > 1e-20f;
    const Floats<N> a = forward ? length + x : y, b = forward ? y : length - x;
    const Floats<N> inverse = 1.0f / (known ? sqrt(a * a + b * b) : splat<N>(1.0f));
    const auto wx = load<Floats<N>>(columns.covector[0] + v), wy = load<Floats<N>>(columns.covector[1] + v);
    const auto cosine = load<Floats<N>>(mesh.bends[0] + v), sine = load<Floats<N>>(mesh.bends[1] + v);
    const auto k = load<Floats<N>>(mesh.wave_numbers + v);
    Floats<N> dx = inverse * (cosine * a - sine * b), dy = inverse * (cosine * b + sine * a);
    // the sign is arbitrary: take that of the previous covector
    const Floats<N> size = dx * wx + dy * wy < 0.0f ? -k : k;
    // without a direction: use the previous one; level in the first frame
    const Floats<N> before = sqrt(wx * wx + wy * wy);
    const Ints<N> born = before > 0.0f;
    const Floats<N> kept = k / (born ? before : splat<N>(1.0f));
    dx = known ? size * dx : (born ? kept * wx : k);
    dy = known ? size * dy : kept * wy;
    store(scratch.aims[0] + v, dx + load<Floats<N>>(columns.pull[0] + v));
    store(scratch.aims[1] + v, dy + load<Floats<N>>(columns.pull[1] + v));

    // slope from the lost length, below the steepest; cloth that loses less than the slack slides or hangs and forms few folds
    const Quads<N> source = load_quads<N>(scratch.sources + 4 * v);
    // folds absorb the length lost across them; of that lost along them, cloth with slack slides a share away
    const Floats<N> turned = source.b * (dx * dx - dy * dy) + source.c * (2.0f * dx * dy);
    const Floats<N> across = min(max(0.5f * (source.a + turned / (k * k)), splat<N>(0.0f)), source.d);
    const Floats<N> lost = source.d - numbers.slid_share * (source.d - across);
    const Floats<N> square = lost * lost;
    const Floats<N> folded = square / (square + numbers.slack * numbers.slack + 1e-12f);
    const Floats<N> slope = load<Floats<N>>(mesh.gains + v) * folded * sqrt(lost);
    const Floats<N> cap = numbers.steepest / (1.0f + lost);
    // the lower bound avoids 0 / 0, because the squares of tiny slopes underflow
    const Floats<N> root = max(sqrt(slope * slope + cap * cap), splat<N>(1e-30f));
    const Floats<N> target = slope * cap / (root * k * numbers.profile_slope);
    store(scratch.targets + v, target);
    store(scratch.weights + v, (load<Floats<N>>(columns.amplitude + v) + target) / numbers.r_min + least_phase_weight);
}

void aim(const WaveMesh& mesh, const WaveNumbers& numbers, const WaveColumns& columns, const WaveScratch& scratch, int64_t begin,
         int64_t end) {
    for_lanes(begin, end, [&]<int N>(int64_t v) { aim_block<N>(mesh, numbers, columns, scratch, v); });
}

template <int N>
void turn_block(const WaveMesh& mesh, const WaveNumbers& numbers, const WaveScratch& scratch, int64_t e) {
    const int32_t* const ends = mesh.edge_vertices + 2 * e;
    const auto ix = gather<N>(scratch.aims[0], ends, 2), iy = gather<N>(scratch.aims[1], ends, 2);
    const auto jx = gather<N>(scratch.aims[0], ends + 1, 2), jy = gather<N>(scratch.aims[1], ends + 1, 2);
    const auto vector = [&](int end, int axis) { return load<Floats<N>>(mesh.edge_vectors[end][axis] + e); };
    const auto cosine = load<Floats<N>>(mesh.edge_turns[0] + e), sine = load<Floats<N>>(mesh.edge_turns[1] + e);
    const Floats<N> agreement = ix * (cosine * jx - sine * jy) + iy * (sine * jx + cosine * jy);
    const Floats<N> sign = agreement < 0.0f ? splat<N>(-1.0f) : splat<N>(1.0f);
    const Floats<N> omega = 0.5f * ((ix * vector(0, 0) + iy * vector(0, 1)) + sign * (jx * vector(1, 0) + jy * vector(1, 1)));
    const Turns<N> z = turns_of<N>(omega), fine = turns_of<N>(omega * numbers.ratio);
    store(scratch.edge_waves[0] + e, z.cosine);
    store(scratch.edge_waves[1] + e, -z.sine);
    store(scratch.edge_waves[2] + e, sign);
    Floats<4> there[N], back[N];
    alignas(32) float rows[4 * N];
    // e^{-iω}; seen from the other end ω is -sign ω
    store_quads<N>(rows, {z.cosine, -z.sine, fine.cosine, -fine.sine});
    for (int lane = 0; lane < N; ++lane) {
        there[lane] = load<Floats<4>>(rows + 4 * lane);
        back[lane] = there[lane] * Floats<4>{1.0f, -sign[lane], 1.0f, -sign[lane]};
        const int64_t first = mesh.edge_halves[2 * (e + lane)], second = mesh.edge_halves[2 * (e + lane) + 1];
        store(scratch.half_waves + 4 * first, there[lane]);
        store(scratch.half_waves + 4 * second, back[lane]);
        scratch.half_signs[first] = scratch.half_signs[second] = sign[lane];
    }
}

void turn_edges(const WaveMesh& mesh, const WaveNumbers& numbers, const WaveScratch& scratch, int64_t begin, int64_t end) {
    for_lanes(begin, end, [&]<int N>(int64_t e) { turn_block<N>(mesh, numbers, scratch, e); });
}

// Returns the wave that neighbour z predicts for the vertex at the other end of the half edge: e^{-iω} z', with z' = z or, if the
// sign is -1, its conjugate.
inline Floats<4> told(Floats<4> z, Floats<4> wave, float sign) {
    const Floats<4> real = __builtin_shufflevector(z, z, 0, 0, 2, 2), imaginary = __builtin_shufflevector(z, z, 1, 1, 3, 3);
    const Floats<4> quarter = __builtin_shufflevector(wave, wave, 1, 0, 3, 2) * Floats<4>{-1.0f, 1.0f, -1.0f, 1.0f};
    return real * wave + (imaginary * sign) * quarter;
}

void sweep_phases(const WaveMesh& mesh, const WaveScratch& scratch, const float* from, float* to, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
        const int64_t v = mesh.order[i];
        Floats<4> sum{};
        float total = 0.0f;
        for (int32_t h = mesh.half_offsets[v]; h < mesh.half_offsets[v + 1]; ++h) {
            const int64_t j = mesh.half_ends[h];
            sum +=
                told(load<Floats<4>>(from + 4 * j), load<Floats<4>>(scratch.half_waves + 4 * (int64_t)h), scratch.half_signs[h]);
            total += scratch.weights[j];
        }
        scratch.totals[v] = total;
        const float w = scratch.weights[v];
        const auto own = load<Floats<4>>(from + 4 * v);
        const Floats<4> z = own * total + sum * (phase_relaxation * w), squares = z * z;
        const Floats<4> lengths = sqrt(squares + __builtin_shufflevector(squares, squares, 1, 0, 3, 2));
        // if the sum is 0, the wave does not change
        store(to + 4 * v, lengths > 1e-20f ? z * (w / lengths) : own);
    }
}

void follow_tree(const WaveMesh& mesh, const WaveScratch& scratch, const int32_t* order, const int32_t* halves) {
    for (int64_t i = 0; i < mesh.vertex_count; ++i) {
        const int64_t v = order[i], h = halves[v];
        if (h >= 0) {
            const int64_t j = mesh.half_ends[h];
            const auto wave = load<Floats<4>>(scratch.half_waves + 4 * h);
            const Floats<4> z = told(load<Floats<4>>(scratch.waves + 4 * j), wave, scratch.half_signs[h]);
            store(scratch.waves + 4 * v, z * (scratch.weights[v] / scratch.weights[j]));
        }
    }
}

template <int N>
void compare_block(const WaveMesh& mesh, const WaveScratch& scratch, int64_t e) {
    const int32_t* const ends = mesh.edge_vertices + 2 * e;
    const int32_t* const halves = mesh.edge_halves + 2 * e;
    const auto ir = gather<N>(scratch.waves, ends, 2, 4), ii = gather<N>(scratch.waves + 1, ends, 2, 4);
    const auto jr = gather<N>(scratch.waves, ends + 1, 2, 4), ji = gather<N>(scratch.waves + 1, ends + 1, 2, 4);
    const auto cosine = load<Floats<N>>(scratch.edge_waves[0] + e), sine = load<Floats<N>>(scratch.edge_waves[1] + e),
               sign = load<Floats<N>>(scratch.edge_waves[2] + e);
    const Floats<N> real = jr * cosine - sign * ji * sine, imaginary = jr * sine + sign * ji * cosine;
    const Floats<N> x = real * ir + imaginary * ii, y = imaginary * ir - real * ii;
    const Floats<N> angle = arc_tangent<N>(y, x);
    const Floats<N> heard = x / gather<N>(scratch.weights, ends, 2), said = x / gather<N>(scratch.weights, ends + 1, 2);
    for (int lane = 0; lane < N; ++lane) {
        float* const first = scratch.half_rests + 2 * (int64_t)halves[2 * lane];
        float* const second = scratch.half_rests + 2 * (int64_t)halves[2 * lane + 1];
        first[0] = angle[lane], first[1] = heard[lane];
        second[0] = -sign[lane] * angle[lane], second[1] = said[lane];
    }
}

void compare_phases(const WaveMesh& mesh, const WaveScratch& scratch, int64_t begin, int64_t end) {
    for_lanes(begin, end, [&]<int N>(int64_t e) { compare_block<N>(mesh, scratch, e); });
}

template <int N>
void pull_block(const WaveMesh& mesh, const WaveNumbers& numbers, const WaveColumns& columns, const WaveScratch& scratch,
                int64_t v) {
    Floats<N> gx, gy, coherence;
    for (int lane = 0; lane < N; ++lane) {
        float x = 0.0f, y = 0.0f, agreed = 0.0f;
        for (int32_t h = mesh.half_offsets[v + lane]; h < mesh.half_offsets[v + lane + 1]; ++h) {
            const float rest = scratch.half_rests[2 * (int64_t)h];
            x += mesh.half_slopes[2 * (int64_t)h] * rest, y += mesh.half_slopes[2 * (int64_t)h + 1] * rest;
            agreed += scratch.half_rests[2 * (int64_t)h + 1];
        }
        gx[lane] = x, gy[lane] = y, coherence[lane] = agreed;
    }
    coherence = coherence / (load<Floats<N>>(scratch.totals + v) + 1e-9f);
    const auto px = load<Floats<N>>(columns.pull[0] + v), py = load<Floats<N>>(columns.pull[1] + v);
    const auto k = load<Floats<N>>(mesh.wave_numbers + v);
    // the field's own covector has length k
    const Floats<N> dx = (load<Floats<N>>(scratch.aims[0] + v) - px) / k, dy = (load<Floats<N>>(scratch.aims[1] + v) - py) / k;
    const Floats<N> x = pull_share * (gx + px), y = pull_share * (gy + py);
    // the wavelength may change by half, the direction less
    const Floats<N> along_limit = k * most_pull_along, across_limit = k * most_pull_across;
    const Floats<N> along = min(max(x * dx + y * dy, -along_limit), along_limit);
    const Floats<N> across = min(max(y * dx - x * dy, -across_limit), across_limit);
    store(columns.pull[0] + v, along * dx - across * dy);
    store(columns.pull[1] + v, along * dy + across * dx);

    const Floats<N> agreed = share_to<N>(min(max(coherence, splat<N>(0.0f)), splat<N>(1.0f)), numbers.coherence);
    store(scratch.targets + v, load<Floats<N>>(scratch.targets + v) * agreed * load<Floats<N>>(mesh.limits + v));
}

void pull_covectors(const WaveMesh& mesh, const WaveNumbers& numbers, const WaveColumns& columns, const WaveScratch& scratch,
                    int64_t begin, int64_t end) {
    for_lanes(begin, end, [&]<int N>(int64_t v) { pull_block<N>(mesh, numbers, columns, scratch, v); });
}

// Wraps an angle in [-2π, 2π] to [-π, π].
template <int N>
inline Floats<N> wrapped(Floats<N> angle) {
    constexpr float pi = 3.14159265f;
    return angle > pi ? angle - 2.0f * pi : angle < -pi ? angle + 2.0f * pi : angle;
}

// Difference between the phase of a unit wave z and φ, in [-π, π].
template <int N>
inline Floats<N> turn_from(Floats<N> phase, Floats<N> real, Floats<N> imaginary) {
    return wrapped<N>(arc_tangent<N>(imaginary, real) - phase);
}

// The proof of the bound is in wave_field.h.
template <int N>
int move_block(const WaveMesh& mesh, const WaveNumbers& n, const WaveColumns& columns, const WaveScratch& scratch, int64_t v) {
    const auto column = [v](float* values) { return load<Floats<N>>(values + v); };
    const Quads<N> z = load_quads<N>(scratch.waves + 4 * v);
    const Floats<N> phase = column(columns.phase), fine = column(columns.fine_phase), amplitude = column(columns.amplitude);
    const Floats<N> wx = column(columns.covector[0]), wy = column(columns.covector[1]);
    const Floats<N> turn = turn_from<N>(phase, z.a, z.b), fine_turn = turn_from<N>(fine, z.c, z.d);
    const Floats<N> rise = (column(scratch.targets) - amplitude) * n.amplitude_share;
    const Floats<N> x = column(scratch.aims[0]) - wx, y = column(scratch.aims[1]) - wy, way = sqrt(x * x + y * y);
    const float top =
        1.0f + 2.0f * n.sharpness + n.sag + n.detail + n.lift * abs<1>(splat<1>(1.0f - 2.0f * n.sharpness + n.detail))[0];
    const float steep = 1.0f + 2.0f * n.sharpness + 2.0f * n.sag;
    const Floats<N> reach = load<Floats<N>>(mesh.reaches + v) * covector_reach;
    const Floats<N> turning = steep * abs<N>(turn) + n.detail * abs<N>(fine_turn) + (steep + n.detail * n.ratio) * reach * way +
                              2.0f * n.sag * way / max(sqrt(wx * wx + wy * wy), splat<N>(1e-30f));
    const Floats<N> change = top * abs<N>(rise) + amplitude * turning;
    const Ints<N> held = n.first ? Ints<N>{} : change > n.bound;
    const Floats<N> share = held ? n.bound / max(change, splat<N>(1e-30f)) : splat<N>(1.0f);
    store(columns.covector[0] + v, wx + share * x);
    store(columns.covector[1] + v, wy + share * y);
    store(columns.phase + v, wrapped<N>(phase + share * turn));
    store(columns.fine_phase + v, wrapped<N>(fine + share * fine_turn));
    store(columns.amplitude + v, amplitude + share * rise);
    return __builtin_popcount(lane_bits(held));
}

int64_t move(const WaveMesh& mesh, const WaveNumbers& numbers, const WaveColumns& columns, const WaveScratch& scratch,
             int64_t begin, int64_t end) {
    int64_t held = 0;
    for_lanes(begin, end, [&]<int N>(int64_t v) { held += move_block<N>(mesh, numbers, columns, scratch, v); });
    return held;
}

// Heights at points of a face: h = Σ b² a f(θ) / Σ b²; the gradient follows from the chain rule.
void add_heights(const WavePatch& patch, const WaveProfile& profile, const HeightBlock& block) {
    using Real = Floats<L>;
    const float q = profile.sharpness, o = profile.detail, ratio = profile.ratio;
    for (int64_t i = 0; i < block.count; i += L) {
        const Real b[3] = {load<Real>(block.barycentric[0] + i), load<Real>(block.barycentric[1] + i),
                           load<Real>(block.barycentric[2] + i)};
        const Real inverse = 1.0f / (b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
        // slopes are derivatives along the barycentric coordinates
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
            // ∂w/∂b: Σ_j a_j f_j ∂w_j/∂b_v
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
                                 .smooth_tensors = smooth_tensors,
                                 .start_waves = start_waves,
                                 .aim = aim,
                                 .turn_edges = turn_edges,
                                 .sweep_phases = sweep_phases,
                                 .follow_tree = follow_tree,
                                 .compare_phases = compare_phases,
                                 .pull_covectors = pull_covectors,
                                 .move = move,
                                 .add_heights = add_heights};

}  // namespace
}  // namespace ruckle::RUCKLE_INSTRUCTION_SET

constinit const ruckle::WaveKernels ruckle::WaveKernels::RUCKLE_INSTRUCTION_SET = ruckle::RUCKLE_INSTRUCTION_SET::kernels;
