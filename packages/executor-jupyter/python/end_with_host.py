"""
Ends all processes of a kernel when its host has ended: the process group, and processes outside of the group with the mark of the run.
ipykernel also notices the end of the host, but ends only itself. The directory with the key of the connection is removed if it belongs to
the kernel.
"""


def install():
    import os, shutil, signal
    from ipykernel import parentpoller
    from ipykernel.kernelapp import IPKernelApp

    folder, file = os.path.split(IPKernelApp.instance().abs_connection_file)
    mark = ('FENCED_RUN_ID=' + os.environ.get('FENCED_RUN_ID', '')).encode()

    def is_ours(process):
        try:
            with open('/proc/' + process + '/environ', 'rb') as file:
                return mark in file.read().split(b'\0')
        except OSError:
            return False

    def end(code):
        try:
            if file == 'connection.json':
                shutil.rmtree(folder, ignore_errors=True)
            if len(mark) > len('FENCED_RUN_ID=') and os.path.isdir('/proc'):
                for process in filter(str.isdigit, os.listdir('/proc')):
                    if int(process) != os.getpid() and is_ours(process):
                        try:
                            os.kill(int(process), signal.SIGKILL)
                        except OSError:
                            pass
            if os.getpgrp() == os.getpid():
                os.killpg(0, signal.SIGKILL)
        finally:
            os._exit(code)

    class system:
        getppid = staticmethod(os.getppid)
        _exit = staticmethod(end)

    parentpoller.os = system
