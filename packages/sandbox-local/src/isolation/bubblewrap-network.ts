import { FencedError } from '@fenced/core'
import type { Sandbox } from '@fenced/core/sandbox'
import type { Interpreter, NoInterpreter, StartedProcess } from '@fenced/host'
import {
  type HelperInterpreter,
  helperCommand,
  judgeNetworkTest,
  type ListedNetwork,
  networkTestCommand,
  proxyVariables,
} from '@fenced/sandbox/internal'

/** The descriptor of the stream to this process in bubblewrap, behind that of the filter. */
const streamDescriptor = 4
/** How long a test may take, in milliseconds. */
const testLimitMs = 30_000

/**
 * A network by list for processes in bubblewrap, each of which has a loopback of its own: so each gets a helper of its own, from which
 * it is begun and which ends with it.
 */
export class BubblewrapNetwork {
  readonly variables = proxyVariables
  /** What the helper needs to read. */
  readonly directories: readonly string[]
  readonly #listed: ListedNetwork
  readonly #interpreter: HelperInterpreter

  /** @throws FencedError `NETWORK_HELPER_FAILED` without Python. */
  constructor(listed: ListedNetwork, python: Interpreter | NoInterpreter) {
    if ('missing' in python) {
      throw new FencedError({
        code: 'NETWORK_HELPER_FAILED',
        message: `A network by list in bubblewrap needs Python. ${python.missing}`,
      })
    }
    this.#listed = listed
    this.#interpreter = { kind: 'python', program: python.command[0] }
    this.directories = python.directories
  }

  /** The command that starts a helper, and then is `command`. */
  wrap(command: readonly string[]): [string, ...string[]] {
    return [...helperCommand(this.#interpreter, streamDescriptor), ...command]
  }

  /** Takes what its helper brings. Returns whether that is there. */
  serve({ channel }: StartedProcess): () => boolean {
    if (channel === undefined) return () => false
    this.#listed.serve(channel)
    return () => !channel.destroyed
  }

  /** @throws FencedError `NETWORK_NOT_CLOSED`, `NETWORK_HELPER_FAILED`; the reason of the signal. */
  async test(spawn: Sandbox['spawn'], signal: AbortSignal): Promise<void> {
    const output = { stdout: '', stderr: '' }
    const process = await spawn(networkTestCommand(this.#interpreter), {
      cwd: '/',
      signal: AbortSignal.any([signal, AbortSignal.timeout(testLimitMs)]),
      output: (stream, chunk) => {
        output[stream] += Buffer.from(chunk).toString()
      },
    })
    const end = await process.ended
    signal.throwIfAborted()
    const exitCode = end.kind === 'exited' ? end.exitCode : 1
    judgeNetworkTest({ exitCode, output: output.stdout + output.stderr }, false)
  }
}
