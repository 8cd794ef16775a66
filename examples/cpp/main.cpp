// Squeezes and releases a sheet, and prints the labels and the largest compression of every third frame. C++ without Python.
#include <ruckle/ruckle.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

namespace {

constexpr int rows = 12, columns = 12;

std::vector<ruckle::Face> sheet_faces() {
    std::vector<ruckle::Face> faces;
    for (int r = 0; r + 1 < rows; ++r) {
        for (int c = 0; c + 1 < columns; ++c) {
            const int v = r * columns + c;
            faces.push_back({v, v + 1, v + columns});
            faces.push_back({v + 1, v + columns + 1, v + columns});
        }
    }
    return faces;
}

// Positions of the sheet at a time in seconds: its width falls to three quarters within half a second, and rises again.
std::vector<ruckle::Vector3> squeezed(float seconds) {
    const float share = 1.0f - 0.125f * (1.0f - std::cos(2.0f * std::numbers::pi_v<float> * seconds));
    std::vector<ruckle::Vector3> positions;
    for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < columns; ++c) {
            positions.push_back({0.05f * share * static_cast<float>(c), 0.05f * static_cast<float>(r), 0.0f});
        }
    }
    return positions;
}

}  // namespace

int main() {
    constexpr float dt = 1.0f / 30.0f;
    ruckle::Wrinkler wrinkler(sheet_faces(), rows * columns);
    std::printf("frame  compressing  resting  stretching  largest compression  microseconds\n");
    float largest_ever = 1.0f;
    for (int frame = 0; frame <= 30; ++frame) {
        // an invalid frame returns another status and does not change the state
        if (wrinkler.step(squeezed(static_cast<float>(frame) * dt), dt) != ruckle::StepStatus::done) {
            std::fprintf(stderr, "frame %d was refused\n", frame);
            return 1;
        }
        const float largest = *std::ranges::max_element(wrinkler.field().compression);
        largest_ever = std::max(largest_ever, largest);
        if (frame % 3 == 0) {
            const auto& counts = wrinkler.stats().label_counts;
            std::printf("%5d  %11d  %7d  %10d  %19.3f  %12.1f\n", frame, counts[ruckle::compression_label],
                        counts[ruckle::rest_label], counts[ruckle::stretch_label], largest, 1e3 * wrinkler.timings().total);
        }
    }
    return largest_ever > 1.2f ? 0 : 1;
}
