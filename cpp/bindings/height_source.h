// A height source of the core that Python threads may share. It must be destroyed with the GIL held.
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

    virtual int face_count() const = 0;  // number of coarse faces
    virtual HeightSource source() const = 0;

    // Appends the texels of a frame for shaders, after those of the surface. Appends nothing if shaders do not support
    // the source.
    virtual void append_texels(std::vector<Word>& /*table*/) const {}
    // Returns the number of words of this source that change whenever the cloth moves; a multiple of texel_words. The
    // surface reserves these words in its table.
    virtual std::size_t carried_words() const { return 0; }

    mutable std::mutex mutex;  // must be locked for every access to the source
};

}  // namespace ruckle::bindings
