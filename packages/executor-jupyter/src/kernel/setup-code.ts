import { echoInput } from './echo-input.ts'
import { endAtOnce } from './end-at-once.ts'
import { endForks } from './end-forks.ts'
import { endInOrder } from './end-in-order.ts'
import { endWithHost } from './end-with-host.ts'
import { interruptAwait } from './interrupt-await.ts'
import { leadGroup } from './lead-group.ts'
import { outputOfThreads } from './output-of-threads.ts'
import { paceOutput } from './pace-output.ts'
import { plainLineEnds } from './plain-line-ends.ts'
import { replyWithOutput } from './reply-with-output.ts'
import type { SetupStep } from './setup-step.ts'
import { soleClient, takeRequests } from './sole-client.ts'
import { tellRunning } from './tell-running.ts'
import { waitForOutput } from './wait-for-output.ts'

/**
 * The setup of a new kernel, by language: one expression, which leaves no name behind. Each step is guarded by itself. The value of the
 * expression is for {@link stepsOff}.
 *
 * @param isSoleClient - Whether no other client can connect to the kernel.
 */
export function setupCode(language: string, isSoleClient: boolean): string | undefined {
  if (language !== 'python') return undefined
  const steps = [
    ...pythonSetup,
    endInOrder(isSoleClient),
    ...(isSoleClient ? [soleClient, takeRequests, replyWithOutput] : []),
  ]
  const calls = steps.map(({ name, source }) => `take(${JSON.stringify(name)}, ${JSON.stringify(source)})`)
  const program = [guard, ...calls, "value = '\\n'.join([ipykernel_version(), *off]).encode().hex()"].join(
    '\n',
  )
  return `(lambda names: (exec(${JSON.stringify(program)}, names), names['value'])[1])({})`
}

const guard = `
off = []

def take(name, source):
    try:
        exec(source, {})
    except Exception as error:
        off.append('%s %s: %s' % (name, type(error).__name__, ' '.join(str(error)[:200].split())))

def ipykernel_version():
    try:
        import ipykernel
        return str(ipykernel.__version__)
    except Exception:
        return ''
`

/** Steps that a kernel does not support. */
export interface StepsOff {
  /** Version of ipykernel; empty where the kernel is not ipykernel. */
  readonly version: string
  readonly steps: readonly StepOff[]
}

interface StepOff {
  readonly name: string
  /** The exception of the step: `AttributeError: ...`. */
  readonly reason: string
}

/** Reads the value of {@link setupCode}, as IPython prints it; `undefined` when it is not one. */
export function stepsOff(value: string | undefined): StepsOff | undefined {
  const [, hex] = /^'((?:[0-9a-f]{2})*)'$/.exec(value ?? '') ?? []
  if (hex === undefined) return undefined
  const [version = '', ...lines] = Buffer.from(hex, 'hex').toString().split('\n')
  const steps = lines.map((line) => {
    const [name = '', ...reason] = line.split(' ')
    return { name, reason: reason.join(' ') }
  })
  return { version, steps }
}

/** IPython tells a program that ends with `sys.exit` how a person leaves the prompt. */
const noExitHint: SetupStep = {
  name: 'no-exit-hint',
  source: `__import__('warnings').filterwarnings('ignore', message="To exit: use 'exit', 'quit', or Ctrl-D")`,
}

/**
 * Where it crashed, reported to the process that started the kernel: what ipykernel reads and passes on dies with it. Only the thread
 * that crashed: the others would be most of the last words that are kept.
 */
const tellCrash: SetupStep = {
  name: 'tell-crash',
  source: `__import__('faulthandler').enable(getattr(__import__('sys').stderr, '_original_stdstream_copy', None) or 2, all_threads=False)`,
}

/** Steps of every Python kernel, in their order. */
const pythonSetup: readonly SetupStep[] = [
  noExitHint,
  tellCrash,
  endForks,
  waitForOutput,
  paceOutput,
  outputOfThreads,
  endAtOnce,
  endWithHost,
  interruptAwait,
  tellRunning,
  leadGroup,
  plainLineEnds,
  echoInput,
]
