import { longestMessage } from '../protocol/incoming-message.ts'
import { pythonCall, pythonSource } from '../python-source.ts'

/** Published again and again between the output: what the kernel has sent so far, in bytes and in messages (`pace_output.py`). */
export const markType = 'fenced_mark'

/** Sent when everything up to a mark was taken. */
export const acknowledgeType = 'fenced_acknowledge'

/** Name of the number of messages that went before a status, in the metadata of the status. */
export const sentName = 'fenced_sent'

/** Asks a kernel on `control` whether it runs the code of a cell (`tell_running.py`). The reply has {@link isRunningName}. */
export const askRunningType = 'fenced_ask_running'

/** Name of a boolean in the content of the reply. */
export const isRunningName = 'is_running'

/** Makes a kernel publish the output of its cell from now on, and the output that it has kept (`reply_with_output.py`). */
export const publishType = 'fenced_publish'

/** Name of the output of a short cell in the metadata of its reply. */
export const outputName = 'fenced_output'

/** Name of the step that lets the client ask whether a cell is running. */
export const tellRunning = 'tell-running'

/** Ends the text of earlier cells in the output of a kernel's own process (`output_of_programs.py`). */
export const cellMark = '\x1e[fenced: next cell]\n'

type StepArguments = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/**
 * The setup of a new kernel, by language: one expression, which leaves no name behind. The value of the expression is for {@link stepsOff}.
 *
 * @param env - Variables that the caller has set for the kernel.
 * @param isSoleClient - Whether no other client can connect to the kernel.
 */
export function setupCode(
  { language, env = {} }: { readonly language: string; readonly env?: Readonly<Record<string, string>> },
  isSoleClient: boolean,
): string | undefined {
  if (language !== 'python') return undefined
  const names = [...ofEveryKernel, ...(isSoleClient ? ofSoleClient : [])]
  // A server finds no children of a kernel that has ended: they get SIGKILL.
  const values: StepArguments = {
    ...stepArguments,
    'end-in-order': { is_last: !isSoleClient },
    // The output of a server's kernel goes to the log of the server.
    'output-of-programs': { cell_mark: isSoleClient ? cellMark : '' },
    'plain-programs': { values: ofTerminals(env) },
  }
  const steps = names.map((name) => [name, pythonSource(name.replaceAll('-', '_')), values[name] ?? {}])
  return pythonCall('kernel_setup', [steps])
}

const terminalVariables = ['FORCE_COLOR', 'CLICOLOR', 'CLICOLOR_FORCE', 'NO_COLOR', 'TERM']

function ofTerminals(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => terminalVariables.includes(name)))
}

/**
 * Steps of every Python kernel, in order. The step `pace-output` is the `install` of `pace_output.py`. A step looks up everything that it
 * needs before it changes the kernel. If something is missing in a version of ipykernel, it raises an exception and changes nothing.
 */
const ofEveryKernel = [
  ...['no-exit-hint', 'tell-crash', 'end-forks', 'output-of-programs', 'encodable-text', 'pace-output'],
  ...['output-of-threads', 'figures', 'last-states', 'end-at-once', 'end-with-host', 'interrupt-await'],
  ...[tellRunning, 'lead-group', 'plain-line-ends', 'echo-input', 'plain-programs'],
  'end-in-order',
]

const ofSoleClient = ['sole-client', 'take-requests', 'reply-with-output']

const stepArguments: StepArguments = {
  'pace-output': {
    longest_message: longestMessage,
    mark_type: markType,
    acknowledge_type: acknowledgeType,
    count_name: sentName,
  },
  [tellRunning]: { ask_type: askRunningType, is_running_name: isRunningName },
  'reply-with-output': { output_name: outputName, publish_type: publishType },
}

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
