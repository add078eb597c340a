"""
What the host, the keeper of a session and its running copy send each other.

Frames of the runner, with other letters once the host has sent `b`:

    from the host   b  settings (JSON), source of the session     begin
                    c  order (JSON), NUL, code                    run a cell; `keep` in the order is the number of a checkpoint
                                                                  that keeps its files again first, as `r` does
                    a  bytes                                      for the module `tools`
                    i  JSON [number, line or null]                the answer to a question
                    k  milliseconds                               interrupt the cell; SIGKILL after that time
                    e  milliseconds                               end in order; SIGKILL after that time
                    y  JSON {number, droppable}                   make a checkpoint
                    g  JSON {number, reload}                      go back to one
                    r  JSON {number}                              keep its files again, in their current state: answered by `r`
                    u  JSON {number}                              it is not needed any more
                    q                                             describe the variables
    to the host     n  reason                                     this Python cannot have a session
                    s                                             the cell begins: earlier calls were not its own
                    j  JSON {branch, pid}                         a running copy is there
                    o, e, t  bytes                                what a cell wrote to stdout, to stderr and to its tools
                    l  JSON {cell, bytes, output}                 what came after the end of that cell
                    v  JSON {kind, data, metadata, transient}     a result
                    i  JSON {prompt, secret, number}              a question
                    k                                             it was asked to interrupt the cell
                    d                                             the code has ended, and the rest of its output follows
                    x  JSON, NUL, JSON                            end of a cell: as it says itself, and as the keeper does
                    z  JSON {status, oom, cell}                   the running copy has died
                    y  JSON {number, lacks, dropped} or {number, error}
                                                                  a checkpoint was made, or could not be
                    g  JSON {way, lost, failed, running}          it went back: see `going_back.py`
                    u  JSON {number}                              a checkpoint has died
                    m  JSON {bytes, resident, used, limit, group} memory of the checkpoints, and of the container
                    q  JSON [{name, type, sizeBytes, preview}]    the variables

The frames between the keeper and the running copy have the same letters. `w` is answered when all that was printed before has been
passed on.
"""

# What a running copy may send, and how long it may be in bytes.
LARGEST_FRAMES = {b"v": 33 * 2**20, b"w": 0, b"i": 2**20, b"x": 2**20, b"y": 2**16, b"q": 2**19}
