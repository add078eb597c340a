import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { jupyterPython } from '../support.ts'

export interface HostProgram {
  readonly child: ChildProcess
  /** What it has written, in the end all. */
  readonly written: { stdout: string; stderr: string }
  readonly exited: Promise<unknown[]>
}

/** Starts a program of `test/programs` with its own Node, in which a `way` to a kernel is used; what is temporary goes into a folder. */
export function startProgram(
  name: string,
  way: 'direct' | 'forked' | 'bubblewrap' | 'server' | 'sandbox' | 'container',
  {
    folder = temporaryFolder(),
    python = jupyterPython,
    flags = [],
    more = [],
  }: { folder?: string; python?: string; flags?: readonly string[]; more?: readonly string[] } = {},
): HostProgram {
  const program = join(import.meta.dirname, '../programs', name)
  const args = [
    '--conditions=@fenced/source',
    '--no-warnings=ExperimentalWarning',
    ...flags,
    program,
    way,
    python,
    ...more,
  ]
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TMPDIR: folder },
  })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  const written = { stdout: '', stderr: '' }
  child.stdout.on('data', (bytes) => {
    written.stdout += bytes
  })
  child.stderr.on('data', (bytes) => {
    written.stderr += bytes
  })
  return { child, written, exited: once(child, 'close') }
}

/** Whoever is killed cleans up nothing. */
function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fenced-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
