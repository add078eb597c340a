import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CodeExecutor, FencedError, type StartOptions } from '@fenced/core'

export const executorNames = ['local', 'docker', 'jupyter'] as const
export type ExecutorName = (typeof executorNames)[number]

export interface ExecutorPlace extends StartOptions {
  /** The directory in which programs run. Their files stay there. */
  readonly workDir: string
  /** Isolation of a process or kernel. A container needs none. */
  readonly isolation?: 'bubblewrap' | 'none'
  /** Python packages that programs can import, and the directory of their virtual environments. */
  readonly packages?: readonly string[]
  readonly environments?: string
  /** Image of a container, and whether a missing one is pulled. */
  readonly image?: string | undefined
  readonly pull?: 'missing' | 'never'
}

/** Makes one of three executors. They have the same methods, and the rest of the demo does not see a difference. */
export async function createExecutor(name: ExecutorName, place: ExecutorPlace): Promise<CodeExecutor> {
  const { workDir, isolation = 'bubblewrap', packages = [], image, pull } = place
  switch (name) {
    case 'local': {
      const python = await pythonEnvironment(packages, place.environments)
      const { signal, onNotice } = place
      return python.createExecutor({ workDir, isolation, signal, onNotice })
    }
    case 'docker': {
      const { DockerCommandLineCodeExecutor } = await import('@fenced/executor-docker')
      return new DockerCommandLineCodeExecutor({ workDir, image, packages: [...packages], pull })
    }
    case 'jupyter': {
      const { JupyterCodeExecutor } = await import('@fenced/executor-jupyter')
      return new JupyterCodeExecutor({ workDir, isolation })
    }
  }
}

/** An executor that is not started. It only says how programs are isolated and limited. */
export async function describeExecutor(
  name: ExecutorName,
  { isolation = 'bubblewrap' }: Pick<ExecutorPlace, 'isolation'>,
): Promise<CodeExecutor> {
  // Environments of Python start the executors that they create.
  if (name !== 'local') return createExecutor(name, { workDir: tmpdir(), isolation })
  const { LocalCommandLineCodeExecutor } = await import('@fenced/executor-local')
  return new LocalCommandLineCodeExecutor({ isolation })
}

/** The Python of this machine, or a virtual environment, which is used again for the same packages. */
async function pythonEnvironment(packages: readonly string[], directory: string | undefined) {
  const { SystemPythonEnvironment, VenvPythonEnvironment } = await import('@fenced/python-env')
  if (packages.length === 0) return new SystemPythonEnvironment()
  const name = createHash('sha256').update(JSON.stringify(packages.toSorted())).digest('hex').slice(0, 16)
  return new VenvPythonEnvironment({ venvPath: directory && join(directory, name), packages })
}

/** Starts an executor once. Returns why it does not work here, or `undefined`. */
export async function problemOf(name: ExecutorName, place: ExecutorPlace): Promise<FencedError | undefined> {
  try {
    await using executor = await createExecutor(name, place)
    await executor.start({ signal: place.signal, onNotice: place.onNotice })
    return undefined
  } catch (error) {
    if (FencedError.isInstance(error)) return error
    throw error
  }
}
