"""
Reports where a kernel crashed to the process that started the kernel: text that ipykernel reads and passes on is lost with the kernel. Only the
thread that crashed is shown: the others would fill most of the output that is kept.
"""


def install():
    import faulthandler, sys

    stream = getattr(sys.stderr, '_original_stdstream_copy', None) or 2
    faulthandler.enable(stream, all_threads=False)
