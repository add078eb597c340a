import { FencedError } from '@fenced/core'
import { type ExecutorChoice, type ExecutorOptions, executorTitle } from '../executor-options.ts'
import { checkOptions } from '../particular-options.ts'
import { bubblewrapProblem, containerProblem, isolationProblem } from './probes.ts'

/** Where code runs, and who decided it. */
export interface ChosenExecutor {
  readonly choice: ExecutorChoice
  /** The options of the command, `--executor auto`, or a person who agreed to run code without isolation. */
  readonly by: 'options' | 'auto' | 'person'
  /** Why, as a sentence for a person. */
  readonly reason: string
}

/** Context of {@link chooseExecutor}. */
export interface ChoiceContext {
  readonly signal: AbortSignal
  /** Whether programs must be able to serve on a port of this machine. */
  readonly needsPort?: boolean | undefined
  /**
   * Starts an executor of a choice, which is kept if it starts. Default: a sandbox is started and stopped.
   *
   * @throws FencedError `ISOLATION_UNAVAILABLE` where its isolation does not work.
   */
  readonly test?: ((choice: ExecutorChoice) => Promise<void>) | undefined
  /** Asks a person a question with the answers yes and no; absent where no person can be asked. */
  readonly askPerson?: ((question: string) => Promise<boolean>) | undefined
}

/** An executor that `auto` can choose. */
interface Candidate {
  readonly name: 'bubblewrap' | 'docker'
  readonly choice: ExecutorChoice
  readonly reason: string
  /** Returns why the executor cannot be used; `undefined` when it works. */
  readonly problem: () => Promise<string | undefined>
}

/**
 * Decides where code runs. An executor or an isolation in the options is used unchanged. `auto` takes the strongest isolation
 * that works: bubblewrap, then a container of an engine that has the image. It pulls and builds nothing.
 *
 * @throws UserError for an option that the executor does not have.
 * @throws FencedError `ISOLATION_UNAVAILABLE` where `auto` finds no isolation, and no person agrees to run code without isolation.
 */
export async function chooseExecutor(
  options: ExecutorOptions,
  context: ChoiceContext,
): Promise<ChosenExecutor> {
  checkOptions(options)
  const { executor, isolation } = options
  if (executor !== 'auto')
    return {
      choice: { ...options, executor },
      by: 'options',
      reason: `--executor ${executorTitle(executor)} names it.`,
    }
  if (isolation !== undefined)
    return {
      choice: { ...options, executor: 'local' },
      by: 'options',
      reason: `--isolation ${isolation} asks for it.`,
    }
  return strongest(options, context)
}

async function strongest(options: ExecutorOptions, context: ChoiceContext): Promise<ChosenExecutor> {
  const problems: Record<string, string> = {}
  for (const { name, choice, reason, problem } of candidates(options, context)) {
    const found = await problem()
    if (found === undefined) return { choice, by: 'auto', reason }
    problems[name] = found
  }
  // Without isolation there is no image, and no host can be refused.
  const { image, network } = options
  const canDoWithout = image === undefined && (network === undefined || network.option === 'open')
  const choice: ExecutorChoice = { ...options, executor: 'local', isolation: 'none' }
  if (canDoWithout && (await context.askPerson?.(question(problems))))
    return { choice, by: 'person', reason: 'A person at the terminal agreed to it.' }
  throw unavailable(problems)
}

function candidates(options: ExecutorOptions, { signal, needsPort, test }: ChoiceContext): Candidate[] {
  const { image, network, python } = options
  const isOpen = network?.option === 'open'
  const inBubblewrap: ExecutorChoice = { ...options, executor: 'local', isolation: 'bubblewrap' }
  return [
    {
      name: 'bubblewrap',
      choice: inBubblewrap,
      reason: 'Bubblewrap works on this machine.',
      async problem() {
        if (image !== undefined) return 'Bubblewrap has no images.'
        if (needsPort && !isOpen) return 'Bubblewrap cannot open ports of programs without a network.'
        return test === undefined
          ? bubblewrapProblem(network?.option, signal)
          : isolationProblem(() => test(inBubblewrap))
      },
    },
    {
      name: 'docker',
      choice: { ...options, executor: 'docker', pull: 'never' },
      reason: 'Bubblewrap is not available, and a container engine has the image.',
      async problem() {
        if (python !== undefined) return 'A container cannot run a Python of this machine.'
        return containerProblem(image, signal)
      },
    },
  ]
}

function question(problems: Readonly<Record<string, string>>): string {
  const reasons = Object.values(problems).map((reason) => `  ${reason}\n`)
  return `No isolation works here.\n${reasons.join('')}Run the code without isolation, with your files and your network?`
}

function unavailable(problems: Readonly<Record<string, string>>): FencedError {
  return new FencedError({
    code: 'ISOLATION_UNAVAILABLE',
    message: `No isolation works here, so nothing was run. ${Object.values(problems).join(' ')} Run \`fenced doctor\` to see how to fix it.`,
    data: { executor: 'auto', ...problems },
  })
}
