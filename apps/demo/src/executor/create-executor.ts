import type { CodeExecutor } from '@fenced/core'
import type { JupyterConnectionInfo } from '@fenced/executor-jupyter'
import { fromWhereTyped } from './from-where-typed.ts'
import { loadExecutorModule } from './load-executor-module.ts'

/** Where the user wants the code to run. */
export type ExecutorChoice =
  | { readonly executor: 'local'; readonly isolation: 'none' | 'bubblewrap' }
  | {
      readonly executor: 'docker'
      /** With `build`, the name that the built image gets. */
      readonly image: string | undefined
      /** A directory with a Dockerfile. */
      readonly build: string | undefined
      readonly packages: readonly string[]
      readonly network: string
    }
  | {
      readonly executor: 'jupyter'
      /** The Python that has the kernel, where there is no server. */
      readonly python: string | undefined
      /** Where a running server is. */
      readonly server: JupyterConnectionInfo | undefined
    }
  /** An executor of somebody else. */
  | { readonly executor: 'module'; readonly path: string }

/**
 * Loads only the package of that executor.
 *
 * @throws UserError for a module without an executor.
 */
export async function createExecutor(
  choice: ExecutorChoice,
  common: { readonly timeoutMs: number; readonly workDir: string },
): Promise<CodeExecutor> {
  if (choice.executor === 'module') return loadExecutorModule(choice.path, common)
  if (choice.executor === 'local') {
    const { LocalCommandLineCodeExecutor } = await import('@fenced/executor-local')
    return new LocalCommandLineCodeExecutor({ ...common, isolation: choice.isolation })
  }
  if (choice.executor === 'jupyter') {
    const { JupyterCodeExecutor } = await import('@fenced/executor-jupyter')
    const { python, server } = choice
    const { timeoutMs, workDir } = common
    return new JupyterCodeExecutor({
      timeoutMs,
      outputDir: workDir,
      ...(python === undefined ? {} : { python: fromWhereTyped(python) }),
      ...(server === undefined ? {} : { server }),
    })
  }
  const { DockerCommandLineCodeExecutor } = await import('@fenced/executor-docker')
  const { image, build, packages, network } = choice
  return new DockerCommandLineCodeExecutor({
    ...common,
    image,
    build: build === undefined ? undefined : { context: fromWhereTyped(build) },
    packages: [...packages],
    network,
  })
}
