import { type ExecutorOptions, executorNames, executorTitle } from './executor-options.ts'
import { isModuleUrl } from './module-url.ts'
import { UserError } from './user-error.ts'

type NamedExecutor = Exclude<ExecutorOptions['executor'], `file:${string}`>

/** Options that only some executors have. */
const executorsOf: Readonly<Record<string, readonly NamedExecutor[]>> = {
  isolation: ['auto', 'local', 'jupyter'],
  image: ['auto', 'docker', 'kubernetes'],
  packages: ['docker'],
  installablePackages: ['docker'],
  python: ['auto', 'local', 'jupyter'],
  network: ['auto', ...executorNames],
  stateful: ['auto', 'local', 'docker', 'kubernetes'],
}

/** @throws UserError for an option that the executor does not have. */
export function checkOptions(options: ExecutorOptions): void {
  const name = optionProblem(options)
  if (name === undefined) return
  const typed = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  throw new UserError(
    `--${typed} cannot be used with --executor ${executorTitle(options.executor)}. ${adviceFor(typed, options)}.`,
  )
}

function adviceFor(typed: string, options: ExecutorOptions): string {
  const { executor } = options
  if (isModuleUrl(executor)) return `Remove --${typed}, and set it in the module`
  if (typed === 'stateful' && executor === 'jupyter')
    return `Remove --${typed}: a kernel always keeps variables`
  const others = executorsWith(options)
  return others.length === 0 ? `Remove --${typed}` : `Use --executor ${others.join(' or ')}`
}

/** Returns the name of an option that the executor does not have. */
export function optionProblem(options: ExecutorOptions): string | undefined {
  const { executor } = options
  return Object.keys(executorsOf).find(
    (name) =>
      Reflect.get(options, name) !== undefined && !executorsOf[name]?.some((other) => other === executor),
  )
}

/** The executors that have all these options. Code is at least as isolated there, so this can be advised. */
export function executorsWith(options: ExecutorOptions): readonly NamedExecutor[] {
  return (['auto', ...executorNames] as const).filter((executor) => {
    const other = { ...options, executor }
    return optionProblem(other) === undefined && strength(other) >= strength(options)
  })
}

/** Compares isolation: none, bubblewrap, a container. A module may have any isolation, so it counts as the strongest. */
function strength({ executor, isolation }: ExecutorOptions): number {
  if (isModuleUrl(executor) || executor === 'docker' || executor === 'kubernetes') return 2
  const isIsolated = executor === 'auto' ? isolation !== 'none' : isolation === 'bubblewrap'
  return isIsolated ? 1 : 0
}
