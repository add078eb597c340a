import { resolve } from 'node:path'
import type { CodeExecutor } from '@fenced/core'
import { JupyterCodeExecutor } from '@fenced/executor-jupyter'
import { milliseconds } from '../executor-options.ts'
import { UserError } from '../user-error.ts'
import { languageOf, type Notebook } from './notebook.ts'

/** Where cells run, as options of the command line. */
export interface KernelOptions {
  /** `docker`: in a container that has a Jupyter Server. */
  readonly executor: 'jupyter' | 'docker'
  readonly isolation?: 'none' | 'bubblewrap'
  /** Of the container; Jupyter is installed in it. */
  readonly image?: string
  readonly packages?: readonly string[]
  readonly python?: string
  readonly workDir?: string
  /** Refused, with an advice. */
  readonly stateful?: boolean
  /** In seconds. */
  readonly timeout?: number
}

/** The executor whose kernel runs the cells, and what stops with it. */
export interface NotebookKernel extends AsyncDisposable {
  readonly executor: CodeExecutor
  /** Whether cells can find files beside the notebook, in its directory. */
  readonly seesNotebook: boolean
}

/** @throws UserError for an option that the executor does not have. */
export async function notebookKernel(notebook: Notebook, options: KernelOptions): Promise<NotebookKernel> {
  const { executor, isolation = 'none', image, packages, python, timeout, stateful } = options
  if (stateful === true)
    throw new UserError('--stateful cannot be used here. Remove it: the kernel always keeps variables.')
  const workDir = options.workDir === undefined ? undefined : resolve(options.workDir)
  const language = languageOf(notebook)
  // The name of a Python kernel is the name of a user's environment.
  const kernelName = language === 'python' ? undefined : notebook.metadata.kernelspec?.name
  const kernel = {
    ...(kernelName === undefined ? {} : { kernelName, language }),
    ...{ timeoutMs: milliseconds(timeout), workDir },
  }
  if (executor === 'docker') {
    refuse({ isolation: options.isolation, python }, '--executor jupyter')
    const { DockerJupyterServer } = await import('@fenced/executor-jupyter/docker')
    const server = new DockerJupyterServer({ baseImage: image, packages, workDir })
    const inContainer = new JupyterCodeExecutor({ ...kernel, server })
    return {
      executor: inContainer,
      seesNotebook: false,
      async [Symbol.asyncDispose]() {
        await inContainer.stop()
        await server.stop()
      },
    }
  }
  refuse({ image, packages }, '--executor docker')
  const onMachine = new JupyterCodeExecutor({ ...kernel, python, isolation })
  return {
    executor: onMachine,
    seesNotebook: isolation === 'none' && workDir === undefined,
    [Symbol.asyncDispose]: () => onMachine.stop(),
  }
}

function refuse(options: Readonly<Record<string, unknown>>, advice: string): void {
  const [name] = Object.entries(options).find(([, value]) => value !== undefined) ?? []
  if (name !== undefined) throw new UserError(`--${name} cannot be used here. Use ${advice}.`)
}
