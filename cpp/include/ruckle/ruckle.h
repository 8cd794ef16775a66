// ruckle: includes all headers of the library, in the order of the pipeline. The library computes dynamic wrinkles of
// coarse animated cloth.
//
// Example:
//     ruckle::Wrinkler wrinkler(faces, vertex_count);
//     ruckle::PathHeights heights(wrinkler.topology());
//     ruckle::Surface surface(wrinkler.topology());
//     ruckle::FineMesh fine;
//     for (const auto& positions : frames) {
//         wrinkler.step(positions, dt);
//         std::vector<ruckle::Wrinkle> wrinkles;
//         for (int i = 0; i < wrinkler.wrinkle_count(); ++i) {
//             wrinkles.push_back(wrinkler.wrinkle(i));
//         }
//         heights.update(positions, wrinkler.rest(), wrinkles, 0.5f * *wrinkler.options().r_min);
//         surface.update(positions, std::array{ruckle::source_of(heights)}, {.curved = true});
//         surface.displace(fine);
//         draw(fine.positions, fine.normals, fine.faces);
//     }
#pragma once

#include "ruckle/parameter.h"
#include "ruckle/types.h"

#include "ruckle/mesh/bone.h"
#include "ruckle/mesh/topology.h"

#include "ruckle/field/stretch.h"

#include "ruckle/field/strain.h"

#include "ruckle/field/label.h"
#include "ruckle/field/many_labels.h"

#include "ruckle/field/reference.h"

#include "ruckle/field/parameters.h"

#include "ruckle/waves/parameters.h"

#include "ruckle/waves/wave_field.h"

#include "ruckle/waves/heights.h"

#include "ruckle/paths/path.h"

#include "ruckle/paths/trace.h"

#include "ruckle/paths/persist.h"

#include "ruckle/paths/curve.h"
#include "ruckle/paths/shape.h"

#include "ruckle/paths/parameters.h"

#include "ruckle/paths/wrinkle_clock.h"
#include "ruckle/paths/wrinkler.h"

#include "ruckle/crowd.h"
#include "ruckle/paths/path_heights.h"

#include "ruckle/patterns/grid.h"

#include "ruckle/patterns/noise.h"

#include "ruckle/patterns/moments.h"

#include "ruckle/patterns/modulation.h"

#include "ruckle/patterns/modulator.h"

#include "ruckle/patterns/heights.h"

#include "ruckle/upsampling/parameters.h"

#include "ruckle/upsampling/neural_detail.h"

#include "ruckle/upsampling/upsampler.h"

#include "ruckle/upsampling/model_file.h"

#include "ruckle/pose_space/joint.h"

#include "ruckle/pose_space/binding.h"

#include "ruckle/pose_space/merge.h"

#include "ruckle/pose_space/parameters.h"

#include "ruckle/pose_space/synthesizer.h"

#include "ruckle/surface/heights.h"

#include "ruckle/surface/refinement.h"

#include "ruckle/surface/surface.h"

#include "ruckle/surface/fitting.h"

#include "ruckle/simulation/parameters.h"

#include "ruckle/simulation/body.h"

#include "ruckle/simulation/cloth.h"

#include "ruckle/simulation/simulated.h"

#include "ruckle/simulation/crossings.h"
#include "ruckle/stack.h"
