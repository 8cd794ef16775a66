// A height source of the core that Python threads may share. Ends with the GIL held.
#pragma once

#include <cstddef>
#include <mutex>
#include <span>

#include "ruckle/surface/heights.h"
#include "ruckle/surface/texels.h"

namespace ruckle::bindings {

class SharedSource {
  public:
    virtual ~SharedSource() = default;

    virtual int face_count() const = 0;  // of the coarse mesh
    virtual HeightSource source() const = 0;

    // What shaders need of it in every frame, behind the texels of the surface; none where shaders do not know the source.
    virtual std::size_t texel_count() const { return 0; }
    virtual void write_texels(std::span<Word>, std::size_t /*first*/) const {}

    mutable std::mutex mutex;  // of every use of what the source holds
};

}  // namespace ruckle::bindings
