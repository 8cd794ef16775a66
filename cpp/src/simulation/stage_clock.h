// Durations of the stages of a step, summed over its substeps.
#pragma once

#include <chrono>

namespace ruckle {

// Each call of lap() adds the milliseconds since the last call to the time of one stage.
class StageClock {
  public:
    void lap(double& milliseconds) {
        const auto now = std::chrono::steady_clock::now();
        milliseconds += std::chrono::duration<double, std::milli>(now - last_).count();
        last_ = now;
    }

  private:
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace ruckle
