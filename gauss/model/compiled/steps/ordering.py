"""Orders of elimination for sparse symmetric systems, and what an elimination costs.

Eliminating a node joins its remaining neighbours; the number of neighbours it has then is its degree. LDLᵀ of a matrix
whose graph this is has that many entries below the node's pivot.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Graph = list[set[int]]  # neighbours of each node, without the node itself


@dataclass(frozen=True)
class Order:
    """An order of elimination with its cost."""

    nodes: tuple[int, ...]
    fill: int  # entries of the factor below its diagonal
    instructions: int  # of a factorisation and one solve, in scalar expressions


def graph_of(size: int, pairs: Iterable[tuple[int, int]]) -> Graph:
    """Return the symmetric graph of a matrix of `size` rows with nonzero entries at the given positions."""
    graph: Graph = [set() for _ in range(size)]
    for i, j in pairs:
        if i != j:
            graph[i].add(j)
            graph[j].add(i)
    return graph


def join(graph: Graph, sets: Iterable[Sequence[int]]) -> None:
    """Join the nodes of each set with each other, as the pattern of JᵀJ does with the columns of a row of J."""
    for members in sets:
        for i in members:
            graph[i].update(members)
            graph[i].discard(i)


def saddle_graph(metric: Graph, rows: Sequence[Sequence[int]]) -> Graph:
    """Return the graph of [[K, Jᵀ], [J, 0]] from that of K and the coordinates in each row of J; rows come last."""
    n = len(metric)
    pairs = [(i, n + k) for k, row in enumerate(rows) for i in row]
    graph = graph_of(n + len(rows), pairs)
    for i, neighbours in enumerate(metric):
        graph[i] |= neighbours
    return graph


def natural(graph: Graph, most: float = math.inf) -> Order:
    """Return the cost of eliminating the nodes as they are numbered; beyond `most` instructions, an upper bound."""
    elimination = _Elimination(graph)
    for node in range(len(graph)):
        if elimination.complete or elimination.instructions > most:
            break
        elimination.remove(node)
    return elimination.finished()


def least_degree(graph: Graph, after: Sequence[Sequence[int]] = (), most: float = math.inf) -> Order:
    """Return an order that always takes a node of least degree among those that may come.

    The last ``len(after)`` nodes wait until the nodes that `after` lists for each are gone. With the coordinates of
    each row there, every pivot of [[K, Jᵀ], [J, 0]] has a sign of its own for definite K and independent rows: that of
    a coordinate is an effective mass, that of a row is minus the squared length of what the rows before it leave of it,
    in the metric of K with the coordinates still to come held. No other pivoting is needed. Beyond `most` instructions
    the remaining nodes follow as they are numbered, at the cost of a complete graph.
    """
    elimination, first = _Elimination(graph), len(graph) - len(after)
    waiting = [0] * first + [len(set(members)) for members in after]
    waited_for: list[list[int]] = [[] for _ in graph]
    for k, members in enumerate(after):
        for i in set(members):
            waited_for[i].append(first + k)
    heap = [(len(elimination.graph[i]), i) for i in range(len(graph)) if not waiting[i]]
    heapq.heapify(heap)
    while not elimination.complete and elimination.instructions <= most:
        degree, node = heapq.heappop(heap)
        if elimination.gone[node] or degree != len(elimination.graph[node]):
            continue  # an entry that a later one has replaced
        neighbours = elimination.remove(node)
        for i in waited_for[node]:
            waiting[i] -= 1
        for i in (*neighbours, *waited_for[node]):
            if not waiting[i]:
                heapq.heappush(heap, (len(elimination.graph[i]), i))
    return elimination.finished()


class _Elimination:
    """A graph from which nodes are removed one by one."""

    def __init__(self, graph: Graph):
        self.graph = [set(neighbours) for neighbours in graph]
        self.gone = [False] * len(graph)
        self.nodes: list[int] = []
        self.fill = self.instructions = 0
        self.complete = not graph  # whether all nodes that are left are joined with each other

    def remove(self, node: int) -> set[int]:
        """Remove a node, join its neighbours, and return them."""
        neighbours = self.graph[node]
        self.gone[node] = True
        self.nodes.append(node)
        self._count(len(neighbours))
        for i in neighbours:
            self.graph[i] |= neighbours
            self.graph[i] -= {i, node}
        self.complete = len(self.nodes) + len(neighbours) == len(self.graph)
        return neighbours

    def finished(self) -> Order:
        """Remove the nodes that are left as from a complete graph, in the order of their numbers; return the order."""
        rest = [i for i, gone in enumerate(self.gone) if not gone]
        for degree in range(len(rest) - 1, -1, -1):
            self._count(degree)
        return Order((*self.nodes, *rest), self.fill, self.instructions)

    def _count(self, degree: int) -> None:
        self.fill += degree
        self.instructions += degree * degree + 6 * degree + 2
