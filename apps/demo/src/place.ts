import type { ExecutorCapabilities } from '@fenced/core'
import { DockerCommandLineCodeExecutor, type DockerExecutorOptions } from '@fenced/executor-docker'
import { JupyterCodeExecutor, type JupyterConnectionInfo } from '@fenced/executor-jupyter'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { formatCount } from './format.ts'
import { fromWhereTyped } from './read-answer.ts'

/** Where the user wants the code to run. */
export type Place =
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

type PlaceExecutor = LocalCommandLineCodeExecutor | DockerCommandLineCodeExecutor | JupyterCodeExecutor

export function createExecutor(
  place: Place,
  common: { readonly timeoutMs: number; readonly workDir: string },
): PlaceExecutor {
  if (place.executor === 'local') {
    return new LocalCommandLineCodeExecutor({ ...common, isolation: place.isolation })
  }
  if (place.executor === 'jupyter') {
    const { python, server } = place
    const { timeoutMs, workDir } = common
    return new JupyterCodeExecutor({
      timeoutMs,
      outputDir: workDir,
      ...(python === undefined ? {} : { python: fromWhereTyped(python) }),
      ...(server === undefined ? {} : { server }),
    })
  }
  const { image, build, packages, network } = place
  const options: DockerExecutorOptions = { ...common, packages: [...packages], network }
  if (image !== undefined) options.image = image
  if (build !== undefined) options.build = { context: fromWhereTyped(build) }
  return new DockerCommandLineCodeExecutor(options)
}

/** What stands between the code and this machine, in words. */
export function whereItRuns(place: Place, { isolation, network }: ExecutorCapabilities): string {
  if (place.executor === 'jupyter' && place.server !== undefined) {
    return `in a kernel of the Jupyter server at ${place.server.host}: the code can do what that server can do`
  }
  if (place.executor === 'jupyter') {
    return 'in a Jupyter kernel on this machine, not isolated: the code can do what you can do'
  }
  if (isolation === 'none') return 'on this machine, not isolated: the code can do what you can do'
  const reach = network ? 'with a network' : 'without network'
  if (place.executor === 'local') return `on this machine, in a bubblewrap sandbox ${reach}`
  const { image, build, packages } = place
  const made = build === undefined ? `of ${image}` : `built from ${build}`
  return `in a container ${made}${packages.length === 0 ? '' : ` with ${packages.join(', ')}`}, ${reach}`
}

/** What the code may use of this machine, in words; nothing where nothing bounds it. */
export function whatItMayUse({ isolationParticulars = {} }: ExecutorCapabilities): string[] {
  const { memoryBytes, cpus } = isolationParticulars
  return [
    ...(typeof memoryBytes === 'number' ? [`${memoryBytes / 2 ** 30} GiB of memory`] : []),
    ...(typeof cpus === 'number' ? [formatCount(cpus, 'processor')] : []),
  ]
}
