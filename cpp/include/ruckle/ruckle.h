// ruckle: dynamic wrinkles for coarse animated cloth, in the order of its pipeline.
#pragma once

#include "ruckle/types.h"

#include "ruckle/mesh.h"

#include "ruckle/stretch.h"

#include "ruckle/label.h"

#include "ruckle/reference.h"

#include "ruckle/wrinkler.h"
