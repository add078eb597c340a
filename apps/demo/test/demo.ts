import { spawn, spawnSync } from 'node:child_process'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { requirement } from '@fenced/testing'

/** Everything that the tests and the demo make. It is removed after the run. */
export const folder = await mkdtemp(join(process.env.FENCED_TEST_RUN_FOLDER ?? tmpdir(), 'demo-'))

const main = new URL('../src/main.ts', import.meta.url).pathname

/** How a test starts the demo. */
export const demoProgram = [process.execPath, '--conditions=@fenced/source', main] as const

/** What the tests need of this machine. */
export const python = requirement(
  'python',
  spawnSync('python3', ['--version']).status === 0 ? undefined : 'the program python3 is not there',
)
export const bubblewrap = requirement(
  'bubblewrap',
  spawnSync('bwrap', ['--ro-bind', '/', '/', 'true']).status === 0 ? undefined : 'bwrap makes no sandbox',
)

export interface Ended {
  readonly processId: number | undefined
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface DemoOptions {
  readonly input?: string
  readonly env?: Readonly<Record<string, string>>
  /** Called once when standard output contains a text. */
  readonly onOutput?: readonly [text: string, act: (child: ReturnType<typeof spawn>) => void]
}

/** Starts the demo as a user does, and waits for its end. */
export async function demo(
  args: readonly string[],
  { input = '', env = {}, onOutput }: DemoOptions = {},
): Promise<Ended> {
  const [program, ...before] = demoProgram
  const child = spawn(program, [...before, ...args], {
    env: { ...process.env, INIT_CWD: folder, TMPDIR: folder, ...env },
  })
  let stdout = ''
  child.stdout.on('data', (chunk) => {
    stdout += chunk
    if (onOutput === undefined || !stdout.includes(onOutput[0])) return
    onOutput[1](child)
    onOutput = undefined
  })
  child.stdin.end(input)
  const [exitCode, stderr] = await Promise.all([
    new Promise<number | null>((resolve) => child.once('close', resolve)),
    text(child.stderr),
  ])
  return { processId: child.pid, exitCode, stdout, stderr }
}
