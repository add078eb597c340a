import { visible } from '@fenced/agents/terminal'
import type { CodeExecutor, ExecutorCapabilities } from '@fenced/core'
import type { Fact } from '../terminal/facts.ts'
import { formatCount, formatDuration } from '../terminal/format.ts'
import type { ExecutorChoice } from './create-executor.ts'

/** Where the code runs, where its files stay, and what bounds it. */
export function executorFacts(
  choice: ExecutorChoice,
  { capabilities, workDir }: Pick<CodeExecutor, 'capabilities' | 'workDir'>,
  timeoutMs: number,
): Fact[] {
  return [
    ['where', visible(whereItRuns(choice, capabilities))],
    ...(workDir === undefined ? [] : [['files', workDir] as const]),
    ['limit', [`${formatDuration(timeoutMs)} for each block`, ...whatItMayUse(capabilities)].join(', ')],
  ]
}

/** What stands between the code and this machine, in words. */
export function whereItRuns(choice: ExecutorChoice, { isolation, network }: ExecutorCapabilities): string {
  if (choice.executor === 'module') {
    const means = isolation === 'none' ? ', not isolated: the code can do what it lets it' : ''
    const among = {
      none: 'on this machine',
      sandbox: 'in a sandbox',
      container: 'in a container',
      vm: 'in a virtual machine',
    }
    return `by the executor of ${choice.path}, ${among[isolation]}, ${network ? 'with a network' : 'without network'}${means}`
  }
  if (choice.executor === 'jupyter' && choice.server !== undefined) {
    return `in a kernel of the Jupyter server at ${choice.server.host}: the code can do what that server can do`
  }
  if (choice.executor === 'jupyter') {
    return 'in a Jupyter kernel on this machine, not isolated: the code can do what you can do'
  }
  if (isolation === 'none') return 'on this machine, not isolated: the code can do what you can do'
  const reach = network ? 'with a network' : 'without network'
  if (choice.executor === 'local') return `on this machine, in a bubblewrap sandbox ${reach}`
  const { image, build, packages } = choice
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
