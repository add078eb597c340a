import { spawn } from 'node:child_process'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { preparationVariable } from './budget-reporter.ts'
import { type Made, type Preparation, preparationsFor, runFolderVariable } from './preparations.ts'

/** Starts to make what the tests of this run need; those that need it run last, and wait for it. */
export default function prepare({ vitest }: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'fenced-test-run-'))
  process.env[runFolderVariable] = folder
  const needed = new Set(vitest.state.getPaths().flatMap(preparationsFor))
  const begun = Date.now()
  const makings = [...needed]
    .filter((preparation) => !preparation.isThere())
    .map(({ name, script }) => {
      const making = new Making(script)
      making.made.then((made) => {
        process.env[preparationVariable] = `${(Date.now() - begun) / 1_000}`
        // As a whole or not at all: workers look for it.
        writeFileSync(join(folder, `${name}.new`), JSON.stringify(made))
        renameSync(join(folder, `${name}.new`), join(folder, name))
      })
      return making
    })
  return () => {
    for (const making of makings) making.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Time limit, also for slow downloads. Without a network, pip gives up after a few seconds. */
const timeoutMs = 10 * 60_000

class Making {
  readonly made: Promise<Made>
  readonly stop: () => void

  constructor([script, ...args]: Preparation['script']) {
    const path = fileURLToPath(new URL(`../${script}`, import.meta.url))
    // A separate process group, so that pip ends with it.
    const child = spawn('bash', [path, ...args], { detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    this.stop = () => {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL')
    }
    process.once('exit', this.stop)
    const limit = setTimeout(this.stop, timeoutMs)
    // The first line is what it makes, if it has to make it.
    child.stderr.once('data', (chunk: Buffer) => process.stdout.write(`${firstLine(`${chunk}`)}\n`))
    const exitCode = new Promise<number | null>((resolve, reject) => {
      child.once('error', reject).once('close', resolve)
    })
    this.made = Promise.all([text(child.stdout), text(child.stderr), exitCode])
      .then(([stdout, stderr, code]): Made => {
        if (code === 0) return { folder: stdout.trim() }
        const reason = code === null ? `it takes more than ${timeoutMs / 60_000} minutes` : lastLine(stderr)
        return { problem: `${script} fails: ${reason}` }
      })
      .catch((error): Made => ({ problem: `${script} cannot be started: ${error.message}` }))
      .finally(() => {
        clearTimeout(limit)
        process.off('exit', this.stop)
      })
  }
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? ''
}
