"""Catalogue of the figures and tables of Peters's thesis that are drawn from our data."""

from __future__ import annotations

from ruckle.experiments.figures.entry import Entry

__all__ = ["PETERS_2015"]


def _motion(number: str, sample: str, title: str, where: str) -> Entry:
    return Entry(
        number,
        title,
        f"The motion compresses the cloth {where}, and the wrinkles appear there.",
        "motions",
        options={"sample": sample},
    )


PETERS_2015 = (
    Entry(
        "3.3",
        "Stretch tensors against the first and the previous frame",
        "No frame of the animation is a rest shape: tensors against the first frame miss compression that tensors "
        "against the previous frame find.",
        "stretch_tensors",
    ),
    Entry(
        "3.4",
        "Tensors averaged at the vertices",
        "On coarse meshes, smoothing the tensor per triangle loses details such as compression on the shoulder and "
        "across the chest.",
        "vertex_averages",
    ),
    Entry(
        "4.1",
        "From tensors to labels",
        "Raw classification is noisy; the graph cut makes it coherent.",
        "graph_cut",
        "draw_moment",
        {"sample": "chopping"},
    ),
    Entry(
        "4.2",
        "Costs of the labels",
        "The cost of compression is large without compression, and falls as compression grows and as it dominates "
        "stretch.",
        "label_costs",
    ),
    Entry(
        "4.6",
        "Evolution of reference triangles",
        "References grow to the most stretched shape, relax under compression and persist at rest.",
        "reference_triangles",
    ),
    Entry(
        "5.1",
        "Smoothing a path",
        "One step of tangential smoothing takes out sharp turns and lies between the traced path and the geodesic.",
        "path_smoothing",
    ),
    Entry(
        "5.2",
        "Independent and coherent paths",
        "Paths traced anew in every frame vary much in direction and length; coherent paths change gradually.",
        "coherent_paths",
    ),
    Entry(
        "5.3",
        "A path and a new field",
        "An existing path turns gradually to match a new field, where tracing anew would move it drastically.",
        "turning_path",
    ),
    Entry(
        "5.4",
        "Over a mesh vertex",
        "Where the optimum leaves an edge, the path is laid anew around the mesh vertex and stays one path.",
        "passing_vertex",
        "draw_passing",
    ),
    Entry(
        "5.5",
        "Several path vertices at one mesh vertex",
        "Several path vertices at one mesh vertex would hold each other back; with one of them in the optimisation "
        "they pass together.",
        "passing_vertex",
        "draw_crowd",
    ),
    Entry(
        "6.1",
        "The parameters of the cross-section",
        "Width 2r and perimeter 2r / (1 - κ) follow from the share of length lost, up to a half circle of radius "
        "R_min.",
        "cross_section",
        "draw_contour",
    ),
    Entry(
        "6.2",
        "The shape of a wrinkle",
        "The cross-section meets the cloth smoothly and keeps its length along the wrinkle, down to height zero at its "
        "ends.",
        "cross_section",
        "draw_shape",
    ),
    Entry(
        "6.3",
        "Normals, geometry, both",
        "Normals alone lack the changes of the outline; geometry alone lacks detail; together they look like wrinkles.",
        "normals_and_geometry",
    ),
    Entry(
        "7.1",
        "Projection onto a path",
        "The closest point of a path is a discontinuous projection; the line through weighted means is continuous.",
        "projection",
    ),
    Entry(
        "7.2",
        "Wrinkles that meet",
        "Blending heights where wrinkles overlap gives believable results.",
        "blending",
    ),
    Entry(
        "8.1",
        "The two parameters",
        "Wrinkles and work become fewer as τ or R_min rises.",
        "parameters",
    ),
    Entry(
        "table-8.1",
        "Sizes and numbers of wrinkles",
        "Garments of 356 to 734 triangles wear some five to some twenty wrinkles.",
        "motions",
        "draw_table",
    ),
    Entry(
        "8.2",
        "Painted folds and ours",
        "Our wrinkles are at many joints at which an artist paints them, and also where painted folds would be "
        "meaningless; under the arms the artist has more.",
        "painted_folds",
    ),
    Entry(
        "8.3",
        "Labels with and without the graph cut",
        "Labels chosen without the graph cut are inconsistent; with it they are much smoother in space and time.",
        "graph_cut",
        "draw_moments",
        {"sample": "fist_pumping"},
    ),
    Entry(
        "8.4",
        "Labels with and without the graph cut",
        "The same on another motion.",
        "graph_cut",
        "draw_moments",
        {"sample": "stretching"},
    ),
    _motion("8.5", "sawing", "Sawing", "at the sawing elbow and across the trunk"),
    _motion("8.6", "chopping", "Chopping", "at the shoulders, across the chest and at the waist"),
    _motion("8.7", "fist_pumping", "Fist pumping", "at the raised shoulder and at the elbows"),
    _motion("8.8", "stretching", "Stretching", "at the shoulders and across the chest"),
    _motion("8.9", "jumping_jack", "Jumping jack", "below the waistband of the skirt"),
    _motion("8.10", "shoveling", "Shoveling", "at the waist and the hips"),
)
"""Entries in the order of the thesis's pages."""
