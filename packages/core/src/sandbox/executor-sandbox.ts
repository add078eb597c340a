import type { ExecutorSandbox } from './sandbox.ts'

/** Returns a view of a sandbox without the methods that start and stop it. */
export function executorSandbox(sandbox: ExecutorSandbox): ExecutorSandbox {
  return {
    name: sandbox.name,
    capabilities: sandbox.capabilities,
    directory: sandbox.directory,
    get shared() {
      return sandbox.shared
    },
    get limitsInForce() {
      return sandbox.limitsInForce
    },
    get id() {
      return sandbox.id
    },
    network: sandbox.network,
    which: (names, options) => sandbox.which(names, options),
    spawn: (command, options) => sandbox.spawn(command, options),
    files: sandbox.files,
    connect: (port, options) => sandbox.connect(port, options),
    processes: sandbox.processes,
    process: (id) => sandbox.process(id),
    usage: (options) => sandbox.usage(options),
    get isPaused() {
      return sandbox.isPaused
    },
    pause: () => sandbox.pause(),
    resume: () => sandbox.resume(),
  }
}
