/**
 * Becomes ipykernel's kernel, as `-m ipykernel_launcher` does, but without the debugger, which takes a quarter of the start to load and
 * serves requests that this client never makes. A program can load it all the same. What stands in the working directory is not loaded
 * instead of a module of the kernel.
 */
export const ownKernel = `
import runpy, sys

if sys.path[0] == "":
    del sys.path[0]
if "debugpy" not in sys.modules:
    # Such an entry makes its import fail.
    sys.modules["debugpy"] = None
    try:
        import ipykernel.debugger
    except ImportError:
        pass
    del sys.modules["debugpy"]
runpy.run_module("ipykernel_launcher", run_name="__main__", alter_sys=True)
`
