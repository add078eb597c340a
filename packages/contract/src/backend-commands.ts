import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BackendProcess, ExecOptions } from '@fenced/core/sandbox'
import type { BackendUnderTest } from './backend-row.ts'

/** Time limit for immediate work of a sandbox, in milliseconds: it detects a hang and measures no speed. */
export const patienceMs = 60_000

type Command = readonly [string, ...string[]]

/** A shell's script, as a command. */
export function shell(script: string, ...args: string[]): Command {
  return ['/bin/sh', '-c', script, 'sh', ...args]
}

/** Starts a command in the sandbox's directory, without stdin unless it is asked for. */
export function exec(
  { backend, directory }: BackendUnderTest,
  command: Command,
  options: Partial<ExecOptions> = {},
): Promise<BackendProcess> {
  const signal = AbortSignal.timeout(patienceMs)
  return backend.exec(command, { cwd: directory, env: {}, stdin: false, signal, ...options })
}

export interface Ran {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number | undefined
}

/** Starts a command and follows it to its end. */
export async function run(
  target: BackendUnderTest,
  command: Command,
  options?: Partial<ExecOptions>,
): Promise<Ran> {
  const process = await exec(target, command, options)
  const chunks = { stdout: [] as Buffer[], stderr: [] as Buffer[] }
  await process.read((stream, chunk) => {
    chunks[stream].push(Buffer.from(chunk))
  })
  const exitCode = await exitCodeOf(process)
  process.destroy()
  return {
    stdout: Buffer.concat(chunks.stdout).toString(),
    stderr: Buffer.concat(chunks.stderr).toString(),
    exitCode,
  }
}

/** Returns the stdout of a script. */
export async function outputOf(target: BackendUnderTest, script: string, ...args: string[]): Promise<string> {
  return (await run(target, shell(script, ...args))).stdout
}

/** The sandbox may learn of it a moment after the end of the output. */
export async function exitCodeOf(process: BackendProcess): Promise<number | undefined> {
  let exitCode: number | undefined
  await until(async () => {
    exitCode = await process.poll()
    return exitCode !== undefined
  }, 'the sandbox tells no exit code')
  return exitCode
}

/** Asks until it is so. */
export async function until(condition: () => Promise<boolean>, failure: string): Promise<void> {
  const lastMs = performance.now() + patienceMs
  while (!(await condition())) {
    assert.ok(performance.now() < lastMs, failure)
    await sleep(50)
  }
}

/** Fails where what should come at once does not. */
export async function soon<Result>(promise: Promise<Result>, failure: string): Promise<Result> {
  const patience = new AbortController()
  const late = sleep(patienceMs, undefined, { signal: patience.signal }).then(
    () => assert.fail(failure),
    () => new Promise<never>(() => {}),
  )
  try {
    return await Promise.race([promise, late])
  } finally {
    patience.abort()
  }
}
