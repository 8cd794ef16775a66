"""A laboratory for labeling costs: change the costs, and see labels, energies and label changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

from ruckle.arguments import whole_number
from ruckle.arrays import Labels
from ruckle.experiments.figures.clips import RATE, motions_of
from ruckle.experiments.figures.drawing import LINEN, MUTED, PATH, PLAIN, Drawing, canvas, show_cloth, window_around
from ruckle.experiments.laboratory.sliders import Column, panel, widgets
from ruckle.experiments.metrics import label_boundaries, label_changes
from ruckle.experiments.plot.colors import LABELS, label_colors
from ruckle.experiments.plot.moments import choose_frames
from ruckle.experiments.plot.space import Projection
from ruckle.experiments.plot.strip import on_the_spot
from ruckle.field.label import PAIRWISE, Method, label_costs, solve_labels
from ruckle.field.parameters import PARAMETERS, SLIDERS
from ruckle.field.stretch import Stretch
from ruckle.mesh.animation import Animation
from ruckle.mesh.topology import topology_of

__all__ = ["LabelLaboratory", "LabelOutcome", "LabelSettings"]

Costs = Callable[..., ArrayLike]

# Range of compression and of stretch in the chart of the cheapest label, and number of samples per axis.
LOW, HIGH, STEPS = 0.95, 1.3, 121


def _decimal(value: np.float32) -> float:
    """Return the shortest decimal number that rounds to a float32, such as 0.2 instead of 0.20000000298."""
    return float(str(value))


@dataclass(frozen=True)
class LabelSettings:
    """Cost parameters and method of the labeling.

    Attributes
    ----------
    sigma, alpha, beta : float
        Parameters of the unary costs, see `ruckle.label_costs`.
    compression_rest, rest_stretch, compression_stretch : float
        Costs of two neighbouring triangles that have these two labels (thesis 4.1.2).
    method : str
        See `ruckle.solve_labels`.
    """

    sigma: float = PARAMETERS["sigma"].default
    alpha: float = PARAMETERS["alpha"].default
    beta: float = PARAMETERS["beta"].default
    compression_rest: float = _decimal(PAIRWISE[0, 1])
    rest_stretch: float = _decimal(PAIRWISE[1, 2])
    compression_stretch: float = _decimal(PAIRWISE[0, 2])
    method: Method = PARAMETERS["method"].default

    @property
    def pairwise(self) -> NDArray[np.float32]:
        """The (3, 3) pairwise costs."""
        cr, rs, cs = self.compression_rest, self.rest_stretch, self.compression_stretch
        return np.array([[0.0, cr, cs], [cr, 0.0, rs], [cs, rs, 0.0]], np.float32)


@dataclass(frozen=True, eq=False)
class LabelOutcome:
    """Labels of a clip, from the second pose on.

    Attributes
    ----------
    settings : LabelSettings
    labels : (F - 1, T) uint8
    cheapest : (F - 1, T) uint8
        Labels without pairwise costs.
    energy : (F - 1,) float64
        Energy of each frame, which depends on the labels of the previous frame.
    boundaries, changes : float
        Number of edges between different labels, and number of label changes, per triangle and frame.
    """

    settings: LabelSettings
    labels: Labels
    cheapest: Labels
    energy: NDArray[np.float64]
    boundaries: float
    changes: float

    def __repr__(self) -> str:
        return (
            f"LabelOutcome({self.settings.method}: mean energy {self.energy.mean():.4g}, boundaries "
            f"{self.boundaries:.4f}, changes {self.changes:.4f})"
        )


class LabelLaboratory:
    """Labels one animation with variable costs.

    Parameters
    ----------
    animation : Animation
        The animation; it is resampled to 30 frames per second.
    costs : callable, optional
        Function of a `Stretch` and keywords `sigma`, `alpha`, `beta` that returns unary costs (T, 3); default:
        `ruckle.label_costs`.
    frame : int, optional
        Frame to show, 1 to F - 1: the step from pose `frame` - 1 to pose `frame`. Default: the frame with
        most triangles whose cheapest label is not rest.

    Attributes
    ----------
    animation : Animation
        The animation at 30 frames per second.
    topology : Topology
    motions : list of Stretch
        Stretch from each pose to the next.
    frame : int
        Frame to show.

    Raises
    ------
    ValueError
        The animation has fewer than three frames, or `frame` does not exist.
    """

    def __init__(self, animation: Animation, *, costs: Costs = label_costs, frame: int | None = None) -> None:
        self.animation = animation.at_rate(RATE)
        count = self.animation.frame_count
        if count < 3:
            raise ValueError(f"animation: expected at least 3 frames at {RATE:g} fps, got {count}")
        if frame is not None:
            whole_number("frame", frame, 1, count - 1)
        self.topology = topology_of(self.animation)
        self.motions = motions_of(self.animation, self.topology)
        self._costs = costs
        self._usual = self.solve(LabelSettings())
        moving = (self._usual.cheapest != 1).sum(axis=1)
        self.frame = 1 + choose_frames(moving, 1)[0] if frame is None else frame

    def solve(self, settings: LabelSettings) -> LabelOutcome:
        """Return the labels of all frames. The labels of each frame depend on the labels of the frame before.

        Parameters
        ----------
        settings : LabelSettings

        Returns
        -------
        LabelOutcome

        Raises
        ------
        ValueError
            The pairwise costs do not allow the method; the message states the reason and a method that works.
        """
        labels, cheapest, energy = [], [], []
        previous: Labels | None = None
        for motion in self.motions:
            costs = np.asarray(
                self._costs(motion, sigma=settings.sigma, alpha=settings.alpha, beta=settings.beta), np.float32
            )
            found = solve_labels(
                costs, self.topology, previous=previous, pairwise=settings.pairwise, method=settings.method
            )
            previous = found.labels
            labels.append(previous)
            energy.append(found.energy)
            cheapest.append(costs.argmin(axis=1).astype(np.uint8))
        stacked = np.array(labels)
        return LabelOutcome(
            settings,
            stacked,
            np.array(cheapest),
            np.array(energy),
            label_boundaries(stacked, self.topology),
            label_changes(stacked),
        )

    def draw(self, settings: LabelSettings | None = None, *, frame: int | None = None) -> Drawing:
        """Draw the cheapest labels, the labels and their changes in one frame, and three curves over the clip.

        The curves are energy, boundaries and changes, each next to that of the default settings in grey.

        Parameters
        ----------
        settings : LabelSettings, optional
            Default: the settings of Peters's thesis.
        frame : int, optional
            1 to F - 1: the step from pose `frame` - 1 to pose `frame`; poses count from 0. Default: `self.frame`.

        Returns
        -------
        Drawing
            Shown by a notebook.

        Raises
        ------
        ValueError
            As `solve`, or `frame` is out of its range.
        TypeError
            `frame` is not an integer.
        """
        shown = self.frame if frame is None else whole_number("frame", frame, 1, len(self.motions))
        outcome = self.solve(settings or LabelSettings())
        figure = canvas(11.0, 6.0)
        grid = figure.add_gridspec(2, 1, height_ratios=(5, 2))
        above = grid[0].subgridspec(1, 4, width_ratios=(5, 4, 4, 4)).subplots(squeeze=False)[0]
        self._draw_costs(above[0], outcome.settings, shown)
        self._draw_labels(above[1:], outcome, shown)
        self._draw_history(grid[1].subgridspec(1, 3).subplots(squeeze=False)[0], outcome, shown)
        return Drawing(
            figure,
            seen=f"{outcome.boundaries:.3f} boundaries and {outcome.changes:.3f} changes of a label per triangle "
            f"and frame; mean energy {outcome.energy.mean():.4g}.",
            parameters=f"{self.animation.name} at {RATE:g} fps, frame {shown}; {outcome.settings}",
        )

    def widget(self) -> Any:
        """Return sliders for all settings in a notebook, with a picture that they update.

        Raises
        ------
        ModuleNotFoundError
            ipywidgets is not installed.
        """
        ipywidgets = widgets()
        settings = LabelSettings()
        ranges = {
            **{
                name: (*ends[:2], ends[1] / 100.0)
                for name, ends in SLIDERS.items()
                if name in ("sigma", "alpha", "beta")
            },
            "compression_rest": (0.0, 1.0, 0.02),
            "rest_stretch": (0.0, 1.0, 0.02),
            "compression_stretch": (0.0, 1.0, 0.02),
        }
        controls = {
            name: ipywidgets.FloatSlider(
                getattr(settings, name), min=low, max=high, step=step, description=name.replace("_", "–"),
                continuous_update=False, readout_format=".3g",
            )
            for name, (low, high, step) in ranges.items()
        }  # fmt: skip
        names = list(controls)
        others = {
            "method": ipywidgets.Dropdown(options=get_args(Method), value=settings.method, description="method"),
            "frame": ipywidgets.IntSlider(
                self.frame, min=1, max=len(self.motions), description="frame", continuous_update=False
            ),
        }
        columns = (
            Column({name: controls[name] for name in names[:3]}),
            Column({name: controls[name] for name in names[3:]}, "12em", "25em"),
            Column(others),
        )

        def draw(values: dict[str, Any]) -> Drawing:
            frame = values.pop("frame")
            return self.draw(LabelSettings(**values), frame=frame)

        return panel(columns, draw)

    def _draw_costs(self, axes: Axes, settings: LabelSettings, frame: int) -> None:
        """Draw the cheapest label as a function of compression and stretch. Dots are the triangles of the frame."""
        values = np.linspace(LOW, HIGH, STEPS)
        compression, largest = (grid.ravel().astype(np.float32) for grid in np.meshgrid(values, values, indexing="ij"))
        plane = Stretch(1.0 / compression, largest, compression, np.zeros((compression.size, 2), np.float32))
        costs = np.asarray(self._costs(plane, sigma=settings.sigma, alpha=settings.alpha, beta=settings.beta))
        cheapest = costs.argmin(axis=1).reshape(STEPS, STEPS)
        axes.contourf(values, values, cheapest, levels=[-0.5, 0.5, 1.5, 2.5], colors=list(LABELS.values()), alpha=0.55)
        motion = self.motions[frame - 1]
        axes.plot(motion.max, motion.compression, ".", color=PATH, ms=2.5)
        axes.set(xlim=(LOW, HIGH), ylim=(LOW, HIGH), aspect="equal")
        axes.set_title("cheapest label; the triangles", fontsize=9)
        axes.set_xlabel("stretch λ_max", fontsize=8)
        axes.set_ylabel("compression 1 / λ_min", fontsize=8)
        axes.tick_params(labelsize=7)

    def _draw_labels(self, panels: NDArray[np.object_], outcome: LabelOutcome, frame: int) -> None:
        """Draw the cheapest labels, the final labels, and the labels that differ from the frame before."""
        faces, projection = self.topology.faces, Projection(up=self.animation.up)
        positions = on_the_spot(self.animation.positions[frame], np.unique(faces), self.animation.up)
        window = window_around(positions, projection)
        labels = outcome.labels[frame - 1]
        earlier = outcome.labels[frame - 2] if frame > 1 else labels
        changed = np.where((labels != earlier)[:, None], label_colors(labels), LINEN)
        pictures = (
            ("cheapest labels", label_colors(outcome.cheapest[frame - 1])),
            (outcome.settings.method, label_colors(labels)),
            (f"changed: {np.count_nonzero(labels != earlier)}", changed),
        )
        for axes, (title, colors) in zip(panels, pictures, strict=True):
            show_cloth(axes, positions, faces, projection=projection, colors=colors, window=window)
            axes.set_title(title, fontsize=9)

    def _draw_history(self, panels: NDArray[np.object_], outcome: LabelOutcome, frame: int) -> None:
        """Draw energy, boundaries and changes over the clip. Grey lines are the values of the default settings."""
        times = np.arange(1, len(self.motions) + 1)
        for of, color, width in ((self._usual, PLAIN, 1.0), (outcome, PATH, 1.4)):
            boundaries = np.array([label_boundaries(labels, self.topology) for labels in of.labels])
            changes = np.append(0.0, (of.labels[1:] != of.labels[:-1]).mean(axis=1))
            for axes, values in zip(panels, (of.energy, boundaries, changes), strict=True):
                axes.plot(times, values, color=color, lw=width)
        titles = (
            f"energy {outcome.energy[frame - 1]:.3g} (mean {outcome.energy.mean():.3g})",
            f"boundaries {outcome.boundaries:.3f} per triangle",
            f"changes {outcome.changes:.3f} per triangle",
        )
        for axes, title in zip(panels, titles, strict=True):
            axes.axvline(frame, color=MUTED, lw=0.6)
            axes.set_title(title, fontsize=9)
            axes.set_xlabel("frame", fontsize=8)
            axes.set(ylim=(0, None), xlim=(0, len(times) + 1))
            axes.tick_params(labelsize=7)
