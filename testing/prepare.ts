import { spawn, spawnSync } from 'node:child_process'
import { delimiter } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'

/** Makes what tests need and what needs no rights, in the user's cache, for the tests that run: done once, then found. */
export default async function prepare({ vitest }: TestProject): Promise<void> {
  const files = vitest.state.getPaths().map((path) => path.slice(vitest.config.root.length + 1))
  const runs = (...folders: string[]) =>
    files.some((file) => folders.some((folder) => file.startsWith(folder)))
  const preparing: Promise<void>[] = []
  if (
    process.env.FENCED_TEST_JUPYTER === undefined &&
    runs('packages/executor-jupyter/test/', 'apps/demo/test/')
  ) {
    preparing.push(prepareJupyter())
  }
  if (runs('packages/python-env/test/') && spawnSync('uv', ['--version']).error !== undefined) {
    preparing.push(prepareUv())
  }
  await Promise.all(preparing)
}

async function prepareJupyter(): Promise<void> {
  const { folder, problem } = await make('packages/executor-jupyter/test/jupyter/make-python')
  if (folder !== undefined) process.env.FENCED_TEST_JUPYTER = folder
  else process.env.FENCED_TEST_JUPYTER_PROBLEM = problem
}

async function prepareUv(): Promise<void> {
  const { folder } = await make('packages/python-env/test/make-uv')
  if (folder !== undefined) process.env.PATH += `${delimiter}${folder}`
}

interface Made {
  readonly folder?: string
  readonly problem?: string
}

/** Slow downloads included; without a network pip gives up by itself after some seconds. */
const timeoutMs = 5 * 60_000

async function make(script: string): Promise<Made> {
  const path = fileURLToPath(new URL(`../${script}`, import.meta.url))
  // A group of its own, so that its end is the end of pip as well.
  const making = spawn('bash', [path], { detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const stop = () => making.pid !== undefined && process.kill(-making.pid, 'SIGKILL')
  process.once('exit', stop)
  const limit = setTimeout(stop, timeoutMs)
  // The first line is what it makes, if it has to make it.
  making.stderr.once('data', (chunk: Buffer) => process.stdout.write(`${`${chunk}`.split('\n', 1)[0]}\n`))
  try {
    const [folder, problem, exitCode] = await Promise.all([
      text(making.stdout),
      text(making.stderr),
      new Promise<number | null>((resolve, reject) => making.once('error', reject).once('close', resolve)),
    ])
    if (exitCode === 0) return { folder: folder.trim() }
    const reason = exitCode === null ? `it takes more than ${timeoutMs / 60_000} minutes` : lastLine(problem)
    return { problem: `${script} fails: ${reason}` }
  } catch (error) {
    return { problem: `${script} cannot be started: ${error instanceof Error ? error.message : error}` }
  } finally {
    clearTimeout(limit)
    process.off('exit', stop)
  }
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? ''
}
