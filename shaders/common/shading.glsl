// The cloth's surface at a fragment: its relief and unit normal. Needs scene, tables, wrinkles and surface_in.
struct Surface {
    vec3 normal_ws;  // unit, with wrinkles, on the side that is seen
    float height;    // mesh units
    float steepness; // of the wrinkles
};

Surface surface_here() {
    Relief found = wrinkle_relief(flat_ws, patch_entry.xy);
    vec3 slope = relief * found.gradient;
    vec3 normal = raised_normal(normalize(normal_ws), slope);
    if (faceted > 0.5) {
        vec3 facet = normalize(cross(dFdx(place_ws), dFdy(place_ws)));  // toward the viewer
        return Surface(facet, found.height, 0.0);
    }
    return Surface(gl_FrontFacing ? normal : -normal, found.height, length(slope));
}
