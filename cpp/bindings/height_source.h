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

    virtual int face_count() const = 0;  // faces of the coarse mesh
    virtual HeightSource source() const = 0;

    // Appends the texels that shaders read in every frame, after those of the surface; none if shaders do not know the source.
    virtual void append_texels(std::vector<Word>& /*table*/) const {}
    // Words of the table that change with the positions: whole texels.
    virtual std::size_t carried_words() const { return 0; }

    mutable std::mutex mutex;  // guards every use of the source's members
};

}  // namespace ruckle::bindings
