import { JupyterCodeExecutor, type JupyterExecutorOptions } from '@fenced/executor-jupyter'
import { LocalSandbox, type LocalSandboxOptions } from '@fenced/sandbox-local'
import { requirement } from '@fenced/testing'
import { jupyterPython } from './support.ts'

/** What the tests of kernels and servers in bubblewrap need. */
export const bubblewrap = requirement('bubblewrap', await problem())
/** The same with control groups. */
export const resourceLimits = requirement('resource-limits', await problem({ memoryBytes: 2 ** 28 }))

/** One in which a server can be reached. */
export function inBubblewrap(options: LocalSandboxOptions = {}): LocalSandbox {
  return new LocalSandbox({
    ...{ python: jupyterPython, isolation: 'bubblewrap', network: 'open', memoryBytes: false, pids: false },
    ...options,
  })
}

/** An executor whose kernel is a process of ours in bubblewrap. */
export function isolatedExecutor(options: JupyterExecutorOptions = {}): JupyterCodeExecutor {
  return new JupyterCodeExecutor({
    ...{ python: jupyterPython, isolation: 'bubblewrap', memoryBytes: false, pids: false },
    // Matplotlib says so where the cache of the home directory cannot be written.
    ...{ env: { MPLCONFIGDIR: '/tmp/matplotlib' } },
    ...options,
  })
}

async function problem(options: LocalSandboxOptions = {}): Promise<string | undefined> {
  await using sandbox = inBubblewrap({ python: undefined, ...options })
  return await sandbox.start().then(
    () => undefined,
    (error: Error) => error.message,
  )
}
