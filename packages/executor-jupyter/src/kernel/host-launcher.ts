import { dirname } from 'node:path'
import { type Environment, ResidentProcess, withPathFirst } from '@fenced/host'
import { findKernelPython } from '../host-python.ts'
import type { KernelDeath } from './kernel.ts'
import type { KernelLaunch, KernelLauncher, KernelProcess } from './kernel-launcher.ts'
import { openKernelSockets } from './kernel-sockets.ts'

/** Time limit for reading the last output of a process after its end, in milliseconds. */
const outputTailMs = 500

/** Kernels that are ordinary processes of this user. */
export class HostLauncher implements KernelLauncher {
  readonly #options: { readonly python: string | undefined; readonly env: Environment }

  constructor(options: { readonly python: string | undefined; readonly env: Environment }) {
    this.#options = options
  }

  findPython(): Promise<string> {
    return findKernelPython(this.#options.python)
  }

  async start({ python, command, directory, env, sockets }: KernelLaunch): Promise<KernelProcess> {
    const resident = new ResidentProcess({
      command,
      cwd: directory,
      env: {
        // `pip` and `python` in a `!` line are the kernel's own.
        ...withPathFirst(this.#options.env, dirname(python)),
        ...env,
        // By it ipykernel notices that we have gone, and goes as well.
        JPY_PARENT_PID: `${process.pid}`,
      },
    })
    const ended = resident.exited.then(async (exit) => ({
      ...howItEnded(exit),
      outputTail: await resident.finalStderr(outputTailMs),
    }))
    return {
      exited: resident.exited,
      ended,
      // Elsewhere than on Linux they are only found by their paths, which come into being later.
      sockets: async (signal) =>
        process.platform === 'linux' ? openKernelSockets(sockets, { ended, signal }) : { paths: sockets },
      setRef: (keeps) => resident.setRef(keeps),
      interrupt: () => resident.signal('SIGINT'),
      watchDescendants: () => resident.watchDescendants(),
      kill: () => resident.kill(),
    }
  }
}

function howItEnded({ code, signal, error }: Awaited<ResidentProcess['exited']>): KernelDeath {
  if (error !== undefined) {
    return { how: `could not be started: ${error.message}`, data: { reason: error.message } }
  }
  if (signal === null) return { how: `ended with exit code ${code}`, data: { exitCode: String(code) } }
  // Nothing here counts memory kills, and any process can send this signal.
  const hint = signal === 'SIGKILL' ? '. A process sent it, or the system did because memory ran out' : ''
  return { how: `was ended by ${signal}${hint}`, data: { signal } }
}
