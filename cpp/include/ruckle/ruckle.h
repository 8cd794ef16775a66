// ruckle: dynamic wrinkles for coarse animated cloth, in the order of its pipeline.
#pragma once

#include "ruckle/types.h"

#include "ruckle/mesh.h"

#include "ruckle/stretch.h"

#include "ruckle/label.h"

#include "ruckle/reference.h"

#include "ruckle/path.h"

#include "ruckle/trace.h"

#include "ruckle/persist.h"

#include "ruckle/shape.h"

#include "ruckle/surface.h"

#include "ruckle/wrinkler.h"
