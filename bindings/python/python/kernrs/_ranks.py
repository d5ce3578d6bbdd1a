"""Ranks of MPI as an engine: all of them call the fit, and each holds the sums of some neighbouring groups."""

from . import _native
from ._tasks import NEEDS_DASK, gather


class Ranks:
    """A communicator of mpi4py, or what looks like one: ``Get_rank``, ``Get_size``, ``bcast``, ``allgather``,
    ``isend`` and ``recv``.

    A node of the tree of merges belongs to the rank that has its first group; a rank sends the root of each of its subtrees to
    the rank whose it is. The tree is the same for any number of ranks, and so are the bits.
    """

    def __init__(self, communicator):
        self._communicator = communicator
        self.rank, self.size = communicator.Get_rank(), communicator.Get_size()

    def sums(self, work, done):
        """The sums of all groups at rank 0, which asks the others for theirs."""
        if work.tables is not None:
            raise TypeError(NEEDS_DASK)
        self._communicator.bcast(("round", work.task, work.groups, work.memory), root=0)
        found = self._tree(work.task, work.groups, work.memory, done)
        if isinstance(found, Exception):
            raise found
        return found

    def map(self, function, shared, items):
        """The results of a function of what all share and of each item, in order; all ranks call this, and all have them."""
        found = []
        for item in items[self.rank::self.size]:
            try:
                found.append(function(shared, item))
            except Exception as error:
                found.append(error)
        everywhere = self._communicator.allgather(found)
        for place in range(len(items)):
            result = everywhere[place % self.size][place // self.size]
            if isinstance(result, Exception):
                raise result
            yield result

    def serve(self):
        """What other ranks do: sums, until rank 0 has the result, or an error, which is the result of all."""
        while True:
            kind, *given = self._communicator.bcast(None, root=0)
            if kind == "end":
                result, error = given
                if error is not None:
                    raise error
                return result
            self._tree(*given, done=lambda group: None)

    def end(self, result=None, error=None):
        """Tells the other ranks that rank 0 has finished."""
        self._communicator.bcast(("end", result, error), root=0)

    def _tree(self, task, groups, memory, done):
        """The nodes of the tree that are this rank's; an error takes the place of sums, on its way to rank 0."""
        sent = []

        def node(low, high):
            # Nodes from low to high that are not this rank's may have some of its groups to the right.
            mine = self._owner(low, groups) == self.rank
            if high - low == 1:
                return self._leaf(task, low, memory, done) if mine else None
            middle = low + (high - low) // 2
            left = node(low, middle) if self._is_here(low, middle, groups) else None
            right = node(middle, high) if self._is_here(middle, high, groups) else None
            other = self._owner(middle, groups)
            if not mine:
                if other == self.rank:
                    # Without waiting, so that no two ranks wait for each other.
                    sent.append(self._communicator.isend(right, dest=self._owner(low, groups), tag=middle))
                return None
            if other != self.rank:
                right = self._communicator.recv(source=other, tag=middle)
            return self._joined(left, right)

        root = node(0, groups)
        for request in sent:
            request.wait()
        return root

    def _owner(self, group, groups):
        """The rank of a group: each has as many as any other, or one less."""
        return group * self.size // groups

    def _is_here(self, low, high, groups):
        """Tells whether this rank has a group of these."""
        return self._owner(low, groups) <= self.rank <= self._owner(high - 1, groups)

    def _leaf(self, task, group, memory, done):
        try:
            sums = gather(task, group, memory=memory)
            done(group)
            return sums
        except Exception as error:
            return error

    def _joined(self, left, right):
        for side in (left, right):
            if isinstance(side, Exception):
                return side
        try:
            return _native.merge(left, right)
        except Exception as error:
            return error
