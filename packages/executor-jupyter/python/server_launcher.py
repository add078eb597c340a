"""
Starts a Jupyter Server, or a Kernel Gateway, which is based on the server, if it is installed.

The options come over stdin, because every process of this machine could read a token on the command line, and every kernel a token in the
environment. The server ends when its stdin does, because the host has ended.

The server keeps files in its current directory. In a sandbox it creates a directory for them, chooses a port, and prints the port on stdout
when it listens.
"""

import sys

# First: in a sandbox it starts in the working directory, and each further import would find a file there.
if not getattr(sys.flags, "safe_path", False):
    del sys.path[0]

import atexit, importlib.util, json, os, shutil, signal, socket, tempfile, threading

launch = json.loads(sys.stdin.readline())
options, port_word = launch["options"], launch["portWord"]
if launch["isGuest"]:
    folder = tempfile.mkdtemp(prefix="fenced-jupyter-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.chdir(folder)
    # A sandbox sets it, so that no program opens a window; a kernel's own choice brings pictures back.
    if os.environ.get("MPLBACKEND", "").lower() == "agg":
        del os.environ["MPLBACKEND"]
    # `pip` and `python` in a `!` line are the kernel's own.
    os.environ["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", os.defpath)])
    with socket.create_server(("127.0.0.1", 0)) as probe:
        options.append(f"--ServerApp.port={probe.getsockname()[1]}")
# Not as a variable: kernels inherit those.
options.append(f"--ServerApp.runtime_dir={os.getcwd()}")

def end_escaped():
    mark = os.environ.get("FENCED_RUN_ID", "").encode()
    for process in filter(str.isdigit, os.listdir("/proc") if mark and os.path.isdir("/proc") else []):
        try:
            with open(f"/proc/{process}/environ", "rb") as file:
                if int(process) != os.getpid() and b"FENCED_RUN_ID=" + mark in file.read().split(b"\0"):
                    os.kill(int(process), signal.SIGKILL)
        except OSError:
            pass

def end_with_host():
    while os.read(0, 4096):
        pass
    # First: another process may kill the server once the host is gone.
    if launch["isGuest"]:
        shutil.rmtree(folder, ignore_errors=True)
    # What left a kernel's process group would outlive the kernel.
    end_escaped()
    os.kill(os.getpid(), signal.SIGTERM)

# What Jupyter forgets among temporary files goes with the server's own folder.
tempfile.tempdir = os.getcwd()

threading.Thread(target=end_with_host, daemon=True).start()

if importlib.util.find_spec("jupyter_server") is None:
    print("There is no jupyter_server.", file=sys.stderr)
    sys.exit(launch["notInstalledExitCode"])
# It checks addresses that no server has, and takes seconds to load.
sys.modules.setdefault("rfc3987_syntax", None)
from jupyter_client.manager import KernelManager
from jupyter_server.serverapp import ServerApp
if sys.modules["rfc3987_syntax"] is None:
    del sys.modules["rfc3987_syntax"]

format_command = KernelManager.format_kernel_cmd

def format_safe_command(self, *args, **kwargs):
    command = format_command(self, *args, **kwargs)
    for index, pair in enumerate(zip(command, command[1:])):
        if pair == ("-m", "ipykernel_launcher"):
            command[index:index + 2] = "-c", launch["kernelLauncher"]
            break
    return command

KernelManager.format_kernel_cmd = format_safe_command
# These files hold the token. The first one is written once the server listens.
ServerApp.write_server_info_file = lambda self: print(f"{port_word} {self.port}", flush=True) if launch["isGuest"] else None
ServerApp.write_browser_open_files = lambda self: None
ServerApp.launch_instance(argv=options)
