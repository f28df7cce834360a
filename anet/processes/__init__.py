"""Worker processes for work that computes, or that may crash, hang or eat memory.

    parsers = Processes(reactor, size=2, memory=512 * MIB, time=30.0, preload=["lxml.html"])
    parsers.startService()
    links = await parsers.run(find_links, page)      # module-level function, MessagePack values

A task that dies, overruns its time or its memory, or answers too much fails alone, with a typed
error; its worker is replaced, and the other workers notice nothing.

    pool       `Processes`: the queue, the workers, their ends and replacements
    job        a task and who waits for it
    worker     one worker as its pool sees it: a connection, a pid, a task, a deadline
    child      the worker itself: reads a task, runs it, answers
    messages   what the two say: frames behind their length, no pickle
    forker     the fork server that all workers of a pool are forked from

**The fork server** is a zygote of `anet.nursery` in a fresh interpreter, so that it can be started
while a reactor and threads run. It has imported the modules to `preload` and shares their memory
with the workers. It runs no task itself: should it die all the same, its workers die with it, their
tasks fail, and the next task starts another.

**What it costs** (two cores, Python 3.11): 45 to 100 µs for a call that does nothing, there and
back; 4 ms to replace a worker; 130 ms for the first call of a pool, which starts the fork server. A
new worker has under 3 MB of its own.

**No sandbox.** The limits are against accidents and hostile input, not against hostile code: a
worker has the rights of its user. Processes that a task starts itself are not ended with it.
"""

from anet.processes.pool import Processes

__all__ = ["Processes"]
