// A height source of the core that Python threads may share. Ends with the GIL held.
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

#include "ruckle/surface/heights.h"
#include "ruckle/surface/texels.h"

namespace ruckle::bindings {

class SharedSource {
  public:
    virtual ~SharedSource() = default;

    virtual int face_count() const = 0;  // of the coarse mesh
    virtual HeightSource source() const = 0;

    // What shaders need of it in every frame, behind the texels of the surface; none where shaders do not know the source.
    virtual void append_texels(std::vector<Word>& /*table*/) const {}

    mutable std::mutex mutex;  // of every use of what the source holds
};

}  // namespace ruckle::bindings
