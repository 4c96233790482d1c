"""Barrier of the threads that run one kernel together.

Every thread calls the same kernel with its rank. Work is cut into chunks that do not depend on the number of threads; thread
`rank` takes chunks rank, rank + size, and so on. Thread 0 is the one that must not wait: if another one does not arrive in
time, because its core is busy with something else, it is dismissed, and thread 0 goes on alone with all chunks.
"""

from __future__ import annotations

from signorini.compiled import kernel
from signorini.parallel.atomics_kernels import add, exchange, give_way, pause, read, write

SIZE, ARRIVED, EPOCH, JOINED, LAST, PATIENT = 0, 16, 32, 48, 64, 80
"""Words of a crew, in cache lines of their own: threads that take part, threads that wait at the barrier, barriers so far,
and threads that have joined thread 0 (or CLOSED); LAST is the number of the barrier at which the others are dismissed in any
case, 0 for none; PATIENT is 1 if they are dismissed at no other barrier, however long it takes."""
WORDS = 96
CLOSED = -1
SPINS = 4000
"""Looks at a word before a thread lets others have its core: about 0.1 ms."""
PATIENCE = 400
"""Times that thread 0 gives way before the others are dismissed."""


@kernel
def join(crew):
    """Take part, as one of the threads beside thread 0; the rank, or -1 if it is too late."""
    while True:
        joined = read(crew, JOINED)
        if joined == CLOSED:
            return -1
        if exchange(crew, JOINED, joined, joined + 1):
            break
    while read(crew, SIZE) == 0:  # thread 0 waits for others
        pause()
    return joined + 1


@kernel
def wait_for_crew(crew, size, looks):
    """Thread 0 looks so often whether all others have joined it, and begins with those that did; how many they are in all."""
    spins = 0
    while read(crew, JOINED) < size - 1 and spins < looks:
        spins += 1
        pause()
    while True:
        joined = read(crew, JOINED)
        if exchange(crew, JOINED, joined, CLOSED):
            write(crew, SIZE, joined + 1)
            return joined + 1


@kernel
def meet(crew, rank):
    """Wait for all threads; returns the number of those that go on, 0 for a thread that is dismissed."""
    size = read(crew, SIZE)
    if rank == 0:
        return gather(crew, size) if size > 1 else size
    if size == 1:  # it was dismissed at an earlier barrier, and has not left yet
        return 0
    epoch = read(crew, EPOCH)
    add(crew, ARRIVED, 1)
    spins = 0
    while read(crew, EPOCH) == epoch:
        spins += 1
        if spins < SPINS:
            pause()
        else:
            give_way()
    return size if read(crew, SIZE) == size else 0


@kernel
def gather(crew, size):
    """Thread 0 waits for the others, and lets them go on."""
    spins = ways = 0
    while read(crew, ARRIVED) < size - 1:
        spins += 1
        if spins < SPINS:
            pause()
        else:
            ways += 1
            give_way()
    if (ways > PATIENCE and crew[PATIENT] == 0) or read(crew, EPOCH) + 1 == crew[LAST]:
        size = 1
        write(crew, SIZE, size)
    write(crew, ARRIVED, 0)
    add(crew, EPOCH, 1)
    return size
