import { spawn, spawnSync } from 'node:child_process'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { requirement } from '@fenced/testing'

/** Everything that tests and the demo in them make. It goes with the run. */
export const folder = await mkdtemp(join(process.env.FENCED_TEST_RUN_FOLDER ?? tmpdir(), 'demo-'))

const main = new URL('../src/main.ts', import.meta.url).pathname

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
  /** Called once with the process when its output or its standard error contains a text. */
  readonly onOutput?: readonly [text: string, act: (child: ReturnType<typeof spawn>) => void]
}

/** Starts the demo as a user does, and waits for its end. */
export async function demo(
  args: readonly string[],
  { input = '', env = {}, onOutput }: DemoOptions = {},
): Promise<Ended> {
  const child = spawn(process.execPath, ['--conditions=@fenced/source', main, ...args], {
    env: { ...process.env, INIT_CWD: folder, TMPDIR: folder, ...env },
  })
  const seen = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].on('data', (chunk) => {
      seen[stream] += chunk
      if (onOutput === undefined || !seen[stream].includes(onOutput[0])) return
      onOutput[1](child)
      onOutput = undefined
    })
  }
  child.stdin.end(input)
  const [exitCode, stdout, stderr] = await Promise.all([
    new Promise<number | null>((resolve) => child.once('close', resolve)),
    text(child.stdout).catch(() => seen.stdout),
    text(child.stderr),
  ])
  return { processId: child.pid, exitCode, stdout, stderr }
}

/** How a demo ends that gets SIGINT while it waits for standard input: the signal's name. */
export async function interruptedWaiting(): Promise<string | number | null> {
  const child = spawn(process.execPath, ['--conditions=@fenced/source', main, '--answer', '-'], {
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  // It says nothing while it waits. A machine too slow for this proves less, and fails nothing.
  setTimeout(() => child.kill('SIGINT'), 2_000)
  return new Promise((resolve) => child.once('close', (code, signal) => resolve(signal ?? code)))
}

/** A Markdown answer of these blocks. */
export function answer(...blocks: ReadonlyArray<readonly [language: string, code: string]>): string {
  return blocks.map(([language, code]) => `Then:\n\n\`\`\`${language}\n${code}\n\`\`\`\n`).join('\n')
}
