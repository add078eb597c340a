import type { CodeExecutor } from '@fenced/core'
import { isolationTexts } from '@fenced/core/internal'
import { definedOptions } from '@fenced/shared'
import { loadExecutorModule } from './executor-module.ts'
import { type ExecutorChoice, milliseconds } from './executor-options.ts'
import { isModuleUrl } from './module-url.ts'
import { optional } from './user-error.ts'

/**
 * Makes executors of one kind.
 *
 * @param place - where an executor works unless `--work-dir` says it. Default: a temporary directory.
 */
export type ExecutorFactory = (place?: { readonly workDir: string }) => CodeExecutor

/**
 * Loads only the package of the executor that is asked for, and returns what makes such executors. Options that are not given
 * are those of its package.
 *
 * @throws UserError where its package is not installed.
 */
export async function executorFactory(options: ExecutorChoice): Promise<ExecutorFactory> {
  const { executor, isolation, image, packages, installablePackages, pull, python, timeout } = options
  const { stateful, isSingle = false } = options
  const network = options.network?.option
  const common = (place: { readonly workDir: string } | undefined) =>
    definedOptions({
      timeoutMs: milliseconds(timeout),
      maxWaitMs: milliseconds(options.maxWait),
      workDir: options.workDir ?? place?.workDir,
      allowSharedWorkDir: options.allowSharedWorkDir,
    })
  if (isModuleUrl(executor)) {
    const create = await loadExecutorModule(executor)
    return (place) => create(common(place))
  }
  switch (executor) {
    case 'local': {
      const { LocalCommandLineCodeExecutor } = await import('@fenced/executor-local')
      const warm = isSingle && stateful !== true ? false : undefined
      const local = { python, isolation, network, warm, stateful }
      return (place) => new LocalCommandLineCodeExecutor({ ...common(place), ...local })
    }
    case 'docker': {
      const { DockerCommandLineCodeExecutor } = await import('@fenced/executor-docker')
      const container = { image, packages, installablePackages, pull, network, stateful }
      return (place) => new DockerCommandLineCodeExecutor({ ...common(place), ...container })
    }
    case 'jupyter': {
      const { JupyterCodeExecutor } = await import('@fenced/executor-jupyter')
      return (place) => new JupyterCodeExecutor({ ...common(place), python, isolation, network })
    }
    case 'kubernetes': {
      const { KubernetesCommandLineCodeExecutor } = await optional(
        () => import('@fenced/executor-kubernetes'),
        'A pod',
        '@fenced/executor-kubernetes',
      )
      const pod = { network, stateful, ...(image === undefined ? {} : { pod: { image } }) }
      return (place) => new KubernetesCommandLineCodeExecutor({ ...common(place), ...pod })
    }
  }
}

/** One executor: see {@link executorFactory}. */
export async function createExecutor(options: ExecutorChoice): Promise<CodeExecutor> {
  const create = await executorFactory(options)
  return create()
}

/** What is between the code and this machine, in words. */
export function executorText({ name, capabilities }: CodeExecutor): string {
  const { isolation, network, isolationParticulars: { allowedHosts } = {} } = capabilities
  const hosts = allowedHosts === '' ? 'no host until you allow it' : `only ${allowedHosts}`
  const reach = {
    none: 'without network',
    list: `with a network that reaches ${hosts}`,
    open: 'with a network',
  }
  return `${isolationTexts[isolation]}, ${reach[network]} (${name})`
}
