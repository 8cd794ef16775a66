"""The small neural network for details as matrix products: evaluation, gradients, training with AdamW."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ruckle.arrays import Float32
from ruckle.upsampling.grids import FEATURES, WIDTH, Grids

__all__ = ["Network", "Weights", "fit"]

# AdamW: decay rates of the mean gradient and of the mean squared gradient; weight decay; smallest divisor.
MOMENTUM, SQUARE_DECAY, WEIGHT_DECAY, TINY = 0.9, 0.999, 0.01, 1e-8

# Fraction of the training steps in which the learning rate rises to its maximum.
WARM_SHARE = 0.2


@dataclass
class Weights:
    """Trained parameters of the network, all float32.

    Attributes
    ----------
    first : (9 * 15, 32)
        Weights of the features of a 3 x 3 neighbourhood.
    first_bias : (rows, 32)
    second : (9 * 32, 32)
    second_bias : (rows, 32)
    patches : (fine_rows, 4 * 32, parts * 3)
        Contributions of the four corners of a coarse cell to its fine vertices, in local frames, multiplied by hat
        functions.
    """

    first: Float32
    first_bias: Float32
    second: Float32
    second_bias: Float32
    patches: Float32

    def arrays(self) -> list[Float32]:
        """Return all arrays in the order of the fields."""
        return [self.first, self.first_bias, self.second, self.second_bias, self.patches]


class Network:
    """The network over a coarse and a fine grid of vertices.

    Each layer is a matrix product over the 3 x 3 neighbourhoods of all vertices. The activation is x clip(x + 3, 0, 6)
    / 6.

    Parameters
    ----------
    grids : Grids
    """

    def __init__(self, grids: Grids) -> None:
        self.grids = grids
        # the shape (fine_rows, 4, 1, parts, 1) broadcasts with patches of shape (fine_rows, 4, 32, parts, 3)
        self.hats = grids.hats()[:, :, None, :, None]
        self._cells = [np.flatnonzero(grids.cell_rows == k) for k in range(grids.rows - 1)]

    def random(self, seed: int = 0) -> Weights:
        """Return random initial weights."""
        random, g = np.random.default_rng(seed), self.grids

        def normal(*shape: int, scale: float) -> Float32:
            return (scale * random.normal(size=shape)).astype(np.float32)

        inputs, hidden = 9 * len(FEATURES), 9 * WIDTH
        patches = normal(g.fine_rows, 4, WIDTH, g.parts, 3, scale=0.1 / np.sqrt(WIDTH)) * self.hats
        return Weights(
            normal(inputs, WIDTH, scale=np.sqrt(2.0 / inputs)),
            np.zeros((g.rows, WIDTH), np.float32),
            normal(hidden, WIDTH, scale=np.sqrt(2.0 / hidden)),
            np.zeros((g.rows, WIDTH), np.float32),
            np.ascontiguousarray(patches.reshape(g.fine_rows, 4 * WIDTH, g.parts * 3)),
        )

    def __call__(self, weights: Weights, features: Float32) -> Float32:
        """Return the detail (B, fine_rows, fine_columns, 3) of B frames for features (B, rows, columns, 15)."""
        return self.forward(weights, features)[0]

    def forward(self, weights: Weights, features: Float32) -> tuple[Float32, tuple[Float32, ...]]:
        """Return the detail (B, fine_rows, fine_columns, 3), and the intermediate results that `backward` needs."""
        around = self._around(features)
        before = around @ weights.first + weights.first_bias[:, None]
        hidden = bend(before)
        around_hidden = self._around(hidden)
        between = around_hidden @ weights.second + weights.second_bias[:, None]
        corners = self._corners(hidden + bend(between))
        count, columns = features.shape[0], self.grids.columns
        detail = np.empty((count, self.grids.fine_rows, columns, self.grids.parts * 3), np.float32)
        for k, rows in enumerate(self._cells):
            product = corners[:, k].reshape(-1, 4 * WIDTH) @ _joined(weights.patches[rows])
            detail[:, rows] = product.reshape(count, columns, len(rows), -1).transpose(0, 2, 1, 3)
        fine = detail.reshape(count, self.grids.fine_rows, -1, 3)
        return self.grids.unfold(fine), (around, before, around_hidden, between, corners)

    def backward(self, weights: Weights, kept: tuple[Float32, ...], change: Float32) -> list[Float32]:
        """Return the gradients of all weights, from intermediate results and the gradient `change` of the detail."""
        around, before, around_hidden, between, corners = kept
        g, count = self.grids, len(change)
        whole = np.zeros((count, g.fine_rows, g.columns * g.parts, 3), np.float32)
        whole[:, :, : g.fine_columns] = change
        whole = whole.reshape(count, g.fine_rows, g.columns, g.parts * 3)
        patches, at_corners = np.empty_like(weights.patches), np.empty_like(corners)
        for k, rows in enumerate(self._cells):
            of_rows = whole[:, rows].transpose(0, 2, 1, 3).reshape(count * g.columns, -1)
            product = corners[:, k].reshape(-1, 4 * WIDTH).T @ of_rows
            patches[rows] = product.reshape(4 * WIDTH, len(rows), -1).transpose(1, 0, 2)
            at_corners[:, k] = (of_rows @ _joined(weights.patches[rows]).T).reshape(count, g.columns, -1)
        sized = patches.reshape(g.fine_rows, 4, WIDTH, g.parts, 3) * self.hats
        at_hidden = self._corners_back(at_corners)
        at_between = at_hidden * bend_slope(between)
        second, second_bias = _product_back(around_hidden, at_between)
        at_hidden = np.asarray(
            at_hidden + self._around_back(np.asarray(at_between @ weights.second.T, at_between.dtype))
        )
        at_before = at_hidden * bend_slope(before)
        first, first_bias = _product_back(around, at_before)
        return [first, first_bias, second, second_bias, sized.reshape(patches.shape)]

    def _around(self, values: Float32) -> Float32:
        """Return the values (B, R, C, n) of each vertex and its eight neighbours, (B, R, C, 9 n).

        Outside the grid, they are 0.
        """
        padded = self._padded(values)
        rows, columns = values.shape[1:3]
        shifted = [padded[:, r : r + rows, c : c + columns] for r in range(3) for c in range(3)]
        return np.concatenate(shifted, axis=-1)

    def _padded(self, values: Float32) -> Float32:
        sides = ((0, 0), (1, 1), (0, 0), (0, 0))
        if self.grids.closed:
            return np.pad(np.concatenate([values[:, :, -1:], values, values[:, :, :1]], axis=2), sides)
        return np.pad(values, (*sides[:2], (1, 1), (0, 0)))

    def _around_back(self, change: Float32) -> Float32:
        count, rows, columns, _ = change.shape
        padded = np.zeros((count, rows + 2, columns + 2, change.shape[3] // 9), np.float32)
        for k, part in enumerate(np.split(change, 9, axis=-1)):
            padded[:, k // 3 : k // 3 + rows, k % 3 : k % 3 + columns] += part
        inner = padded[:, 1:-1, 1:-1].copy()
        if self.grids.closed:
            inner[:, :, -1] += padded[:, 1:-1, 0]
            inner[:, :, 0] += padded[:, 1:-1, -1]
        return inner

    def _corners(self, hidden: Float32) -> Float32:
        """Return the hidden values at the four corners of each cell, (B, R - 1, C, 4 * 32)."""
        beside = self.grids.shift(hidden, 0, 1)
        return np.concatenate([hidden[:, :-1], beside[:, :-1], hidden[:, 1:], beside[:, 1:]], axis=-1)

    def _corners_back(self, change: Float32) -> Float32:
        count, rows, columns, _ = change.shape
        own, beside = (np.zeros((count, rows + 1, columns, WIDTH), np.float32) for _ in range(2))
        parts = np.split(change, 4, axis=-1)
        own[:, :-1] += parts[0]
        beside[:, :-1] += parts[1]
        own[:, 1:] += parts[2]
        beside[:, 1:] += parts[3]
        own[:, :, 1:] += beside[:, :, :-1]
        own[:, :, 0 if self.grids.closed else -1] += beside[:, :, -1]
        return own


def bend(x: Float32) -> Float32:
    """Return the activation x clip(x + 3, 0, 6) / 6."""
    return np.asarray(x * np.clip(x + np.float32(3.0), 0.0, 6.0) * np.float32(1.0 / 6.0))


def bend_slope(x: Float32) -> Float32:
    """Return the derivative of the activation function `bend`."""
    inner = (2.0 * x + 3.0) * np.float32(1.0 / 6.0)
    return np.asarray(np.where(x < -3.0, 0.0, np.where(x > 3.0, 1.0, inner)), np.float32)


def _joined(patches: Float32) -> Float32:
    """Return the patches of several fine rows as one matrix, side by side."""
    return np.ascontiguousarray(patches.transpose(1, 0, 2)).reshape(patches.shape[1], -1)


def _product_back(inputs: Float32, change: Float32) -> tuple[Float32, Float32]:
    weights = inputs.reshape(-1, inputs.shape[-1]).T @ change.reshape(-1, change.shape[-1])
    return weights, change.sum(axis=(0, 2))


def fit(
    network: Network,
    features: Float32,
    detail: Float32,
    areas: Float32,
    *,
    steps: int = 1500,
    batch: int = 32,
    rate: float = 3e-3,
    noise: float = 0.0,
    seed: int = 0,
    progress: Callable[[int, float], None] | None = None,
) -> Weights:
    """Train a network to minimise the squared error, weighted by area; return the weights after the last step.

    Parameters
    ----------
    network : Network
    features : (F, rows, columns, 15) float32, standardised
    detail : (F, fine_rows, fine_columns, 3) float32, scaled to a size of about 1
    areas : (fine_rows, fine_columns) float32, scaled to a mean of 1
    steps, batch : int
        Number of steps, and number of frames per step. Frames are chosen randomly but reproducibly.
    rate : float
        Maximum learning rate of AdamW; the rate rises and then falls during training.
    noise : float
        Standard deviation of noise that is added to features, different in every step. The noise improves
        generalisation, because results then cannot depend on tiny differences.
    seed : int
    progress : function of the step and of the remaining fraction of the squared detail, optional
    """
    random, weights = np.random.default_rng(seed), network.random(seed)
    arrays = weights.arrays()
    means, squares = [np.zeros_like(a) for a in arrays], [np.zeros_like(a) for a in arrays]
    weighting = areas[None, :, :, None] / np.float32(areas.size * 3)
    for step in range(1, steps + 1):
        chosen = random.choice(len(features), min(batch, len(features)), replace=False)
        given = features[chosen]
        if noise:
            given = given + np.float32(noise) * random.standard_normal(given.shape, np.float32)
        found, kept = network.forward(weights, given)
        off = found - detail[chosen]
        gradients = network.backward(weights, kept, off * (2.0 / len(chosen) * weighting))
        now = np.float32(rate * _share_of_rate(step / steps))
        for array, mean, square, gradient in zip(arrays, means, squares, gradients, strict=True):
            mean += np.float32(1.0 - MOMENTUM) * (gradient - mean)
            square += np.float32(1.0 - SQUARE_DECAY) * (gradient * gradient - square)
            ready = mean / np.float32(1.0 - MOMENTUM**step)
            size = np.sqrt(square / np.float32(1.0 - SQUARE_DECAY**step)) + np.float32(TINY)
            array -= now * (ready / size + np.float32(WEIGHT_DECAY) * array)
        # a weight whose hat function is 0 remains 0, because its gradient is 0
        if progress is not None:
            progress(step, float((off**2 * weighting).sum() / (detail[chosen] ** 2 * weighting).sum()))
    return weights


def _share_of_rate(at: float) -> float:
    """Return the relative learning rate at a fraction of the training: it rises from 0.04 to 1, then falls to 0."""
    if at < WARM_SHARE:
        return 0.04 + 0.96 * (0.5 - 0.5 * float(np.cos(np.pi * at / WARM_SHARE)))
    return 0.5 + 0.5 * float(np.cos(np.pi * (at - WARM_SHARE) / (1.0 - WARM_SHARE)))
