import { doOnce } from './do-once.ts'
import { echoInput } from './echo-input.ts'
import { endAtOnce } from './end-at-once.ts'
import { endInOrder } from './end-in-order.ts'
import { endWithHost } from './end-with-host.ts'
import { interruptAwait } from './interrupt-await.ts'
import { leadGroup } from './lead-group.ts'
import { paceOutput } from './pace-output.ts'
import { plainLineEnds } from './plain-line-ends.ts'
import { replyWithOutput } from './reply-with-output.ts'
import { soleClient } from './sole-client.ts'
import { waitForOutput } from './wait-for-output.ts'

/**
 * What makes a new kernel fit for programs, by language: one expression. It leaves no name behind.
 *
 * @param isSoleClient - Whether nobody else can connect to the kernel.
 */
export function setupCode(language: string, isSoleClient: boolean): string | undefined {
  if (language !== 'python') return undefined
  const steps = [
    ...pythonSetup,
    endInOrder(isSoleClient),
    ...(isSoleClient ? [soleClient, replyWithOutput] : []),
  ]
  return `[${steps.join(', ')}].clear()`
}

/** IPython tells a program that ends with `sys.exit` how a person leaves the prompt. */
const noExitHint = `__import__('warnings').filterwarnings('ignore', message="To exit: use 'exit', 'quit', or Ctrl-D")`

/**
 * Where it crashed, reported to the process that started the kernel: what ipykernel reads and passes on dies with it. Only the thread
 * that crashed: the others would be most of the last words that are kept.
 */
const tellCrash = `__import__('faulthandler').enable(getattr(__import__('sys').stderr, '_original_stdstream_copy', None) or 2, all_threads=False)`

/** Not all of them are IPython's: what only that can do comes last. */
const pythonSetup = [
  noExitHint,
  tellCrash,
  waitForOutput,
  paceOutput,
  endAtOnce,
  endWithHost,
  interruptAwait,
  leadGroup,
  plainLineEnds,
  echoInput,
  doOnce,
]
