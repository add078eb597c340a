import type { BlockIo, BlockOutcome, BlockTools, StreamName } from '@fenced/core/driver'
import { outcomeOf, type Sandbox, type SandboxProcess } from '@fenced/core/sandbox'
import { nodePreload, nodeRelay } from './embedded.ts'
import { FrameReader } from './resident-python/frames.ts'
import { ToolConnection } from './tools/tool-connection.ts'

/** A program of Node that is to be run with tools. */
export interface NodeProgram {
  readonly sandbox: Sandbox
  /** Node, and its options. */
  readonly command: readonly [string, ...string[]]
  readonly path: string
  readonly variables: Readonly<Record<string, string>> | undefined
  readonly killGraceMs: number
}

const streamOf: Readonly<Record<string, StreamName>> = { o: 'stdout', e: 'stderr' }

/**
 * Runs a program of Node that calls tools: another Node starts it, with a socket that the processes of the program do not
 * have, and passes on what comes and goes over its own stdin and stdout.
 *
 * @returns the outcome, and whether processes of the program may still run.
 */
export async function runNodeWithTools(
  { sandbox, command, path, variables, killGraceMs }: NodeProgram,
  io: BlockIo & { readonly tools: BlockTools },
): Promise<{ outcome: BlockOutcome; isLeft: boolean }> {
  const [node, ...args] = command
  const started = Promise.withResolvers<SandboxProcess>()
  const tools = new ToolConnection(io.tools, (line) => {
    void started.promise.then((process) => sendTo(process, line, io.tools.maxMessageBytes))
  })
  const output = new RelayOutput(io, tools)
  const relayed = JSON.stringify({ args, path, preload: nodePreload })
  const process = await sandbox.spawn([node, '-e', nodeRelay, relayed], {
    role: 'block',
    stdin: 'open',
    env: variables,
    signal: io.signal,
    killGraceMs,
    output: (stream, chunk) => output.take(stream, chunk),
  })
  process.stdin?.on('error', () => {})
  started.resolve(process)
  try {
    const end = await process.ended
    return { outcome: outcomeOf(end, io, sandbox), isLeft: end.kind === 'stuck' }
  } catch (error) {
    if (!output.isBroken) throw error
    return { outcome: { status: 'died' }, isLeft: false }
  } finally {
    tools.end()
  }
}

/** How many answers of the largest size may wait for a relay that does not read. */
const mostUnreadAnswers = 32

function sendTo(process: SandboxProcess, line: string, maxMessageBytes: number): void {
  // A relay always reads: this is another program that speaks for it.
  if ((process.stdin?.writableLength ?? 0) > mostUnreadAnswers * maxMessageBytes) void process.kill()
  else process.stdin?.write(line)
}

/** What the relay writes, taken apart. */
class RelayOutput {
  readonly #io: BlockIo
  readonly #frames: FrameReader
  #held: Promise<void>[] = []
  /** Whether something else than frames came: a program can write in the relay's name, where both are one user's. */
  isBroken = false

  constructor(io: BlockIo, tools: ToolConnection) {
    this.#io = io
    this.#frames = new FrameReader({
      flowing: 'oet',
      flow: (kind, chunk) => {
        const stream = streamOf[kind]
        const held = stream === undefined ? tools.receive(chunk) : io.write(stream, chunk)
        if (held !== undefined) this.#held.push(held)
      },
      whole: (kind) => {
        if (kind === 'd') io.ended()
      },
    })
  }

  take(stream: StreamName, chunk: Uint8Array): void | Promise<void> {
    // The relay's own words, of a Node that cannot start it.
    if (stream === 'stderr') return this.#io.write(stream, chunk)
    try {
      this.#frames.push(chunk)
    } catch (error) {
      this.isBroken = true
      throw error
    }
    const held = this.#held
    this.#held = []
    if (held.length > 0) return Promise.all(held).then(() => {})
  }
}
