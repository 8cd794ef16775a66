// Measures the duration of the stages of a step, one after the other.
#pragma once

#include <chrono>

namespace ruckle {

class StageClock {
  public:
    // Returns the milliseconds since construction or the last call.
    double lap() {
        const auto now = std::chrono::steady_clock::now();
        const double elapsed = std::chrono::duration<double, std::milli>(now - last_).count();
        last_ = now;
        return elapsed;
    }

  private:
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace ruckle
