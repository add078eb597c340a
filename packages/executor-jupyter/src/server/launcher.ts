/**
 * Starts a Jupyter Server, or a Kernel Gateway where there is no such server. Its options come over stdin and not on
 * the command line or in the environment: there every process of this machine, or every kernel, could read the
 * token. When stdin ends, we have gone, however that happened, and the server ends as well.
 */
export const launcher = `
import importlib.util, json, os, signal, sys, threading

options = json.loads(sys.stdin.readline())

def end_with_host():
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)

threading.Thread(target=end_with_host, daemon=True).start()

for module, name, prefix in (
    ("jupyter_server.serverapp", "ServerApp", "ServerApp"),
    ("kernel_gateway.gatewayapp", "KernelGatewayApp", "KernelGatewayApp"),
):
    if importlib.util.find_spec(module.split(".")[0]) is None:
        continue
    from importlib import import_module
    application = getattr(import_module(module), name)
    given = [f"--{prefix}.{key}={value}" for key, value in options["application"].items()]
    given += options["server" if prefix == "ServerApp" else "gateway"] + options["kernels"]
    application.launch_instance(argv=given)
    sys.exit(0)
sys.exit(${notInstalledExitCode()})
`

/** The launcher's exit code where the Python has neither. */
export function notInstalledExitCode(): number {
  return 86
}
