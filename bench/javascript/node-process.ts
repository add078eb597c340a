import { spawn } from 'node:child_process'
import type { Writable } from 'node:stream'

export interface NodeProcess {
  readonly pid: number | undefined
  /** Where it was asked for. */
  readonly stdin: Writable | null
  /** Everything that it printed, once it is over. */
  readonly printed: Promise<string>
}

export interface NodeOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: 'ignore' | 'pipe'
}

/** Starts the Node that runs us, its streams piped. */
export function startNode(
  args: readonly string[],
  { env = {}, stdin = 'ignore' }: NodeOptions = {},
): NodeProcess {
  const { promise: printed, resolve, reject } = Promise.withResolvers<string>()
  const child = spawn(process.execPath, args, {
    stdio: [stdin, 'pipe', 'pipe'],
    // Nothing of ours, which could change how it starts.
    env: { PATH: process.env.PATH, ...env },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  // That it is over is seen by what it did not print.
  child.stdin?.on('error', () => {})
  child.once('error', reject)
  child.once('close', () => resolve(output))
  return { pid: child.pid, stdin: child.stdin, printed }
}

/** Runs a program that prints `1`. */
export async function runNode(args: readonly string[], options: NodeOptions = {}): Promise<void> {
  verifyPrinted(await startNode(args, options).printed)
}

/** @throws unless it did what the program does: the time of anything else says nothing. */
export function verifyPrinted(printed: string): void {
  if (printed !== '1\n') throw new Error(`A Node was to print 1 and a line's end, but printed:\n${printed}`)
}
