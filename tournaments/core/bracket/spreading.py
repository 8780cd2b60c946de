"""Things side by side, each as near to where it wants to be as the gaps between them allow."""

from collections.abc import Sequence


def spread(wanted: Sequence[tuple[int, int]], gap: int) -> list[int]:
    """Return where things begin that want their middle somewhere: (middle, size) in order, as near as the gap allows."""
    runs: list[list[tuple[int, int]]] = []
    for each in wanted:
        runs.append([each])
        while len(runs) > 1 and _begin(runs[-2], gap) + _length(runs[-2], gap) + gap > _begin(runs[-1], gap):
            runs[-2:] = [runs[-2] + runs[-1]]
    return [edge for run in runs for edge in _beginnings(run, _begin(run, gap), gap)]


def _begin(run: Sequence[tuple[int, int]], gap: int) -> int:
    offsets = _beginnings(run, 0, gap)
    return sum(middle - size // 2 - at for (middle, size), at in zip(run, offsets, strict=True)) // len(run)


def _length(run: Sequence[tuple[int, int]], gap: int) -> int:
    return sum(size for _, size in run) + gap * (len(run) - 1)


def _beginnings(run: Sequence[tuple[int, int]], begin: int, gap: int) -> list[int]:
    edges = [begin]
    for _, size in run[:-1]:
        edges.append(edges[-1] + size + gap)
    return edges
