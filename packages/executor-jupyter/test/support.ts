import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CodeBlock, CodeExecutor, CodeResult } from '@fenced/core'
import { JupyterCodeExecutor, type JupyterExecutorOptions } from '@fenced/executor-jupyter'
import { requirement } from '@fenced/testing'

const folder = process.env.FENCED_TEST_JUPYTER

/** A Python with Jupyter, made by `test/jupyter/make-python`. */
export const jupyter = requirement('jupyter', problem())

/** The virtual environment. Where there is none a path without one: what is made with it fails when it is used. */
export const jupyterPython = folder || join(tmpdir(), 'fenced-test-without-jupyter')

/** Programs that it has: `python`, `jupyter-server`. */
export function jupyterProgram(name: string): string {
  return join(jupyterPython, 'bin', name)
}

/** Rows of the contract that a kernel of a server does not keep. */
export const serverExceptions = {
  'a setsid daemon started before a timeout':
    'what leaves the kernel’s process group is out of reach of a server’s client; it ends with the server',
} as const

/** An executor whose kernel is a process of ours. */
export function directExecutor(options: JupyterExecutorOptions = {}): JupyterCodeExecutor {
  return new JupyterCodeExecutor({ python: jupyterPython, ...options })
}

export function python(...lines: string[]): CodeBlock {
  return { language: 'python', code: lines.join('\n') }
}

/** Runs one cell. */
export async function run(executor: JupyterCodeExecutor, ...lines: string[]): Promise<CodeResult> {
  return executor.execute([python(...lines)])
}

function problem(): string | undefined {
  if (!folder) return process.env.FENCED_TEST_JUPYTER_PROBLEM ?? 'FENCED_TEST_JUPYTER names no Python'
  return existsSync(join(folder, 'complete'))
    ? undefined
    : `FENCED_TEST_JUPYTER is ${folder}, which is not complete`
}

/** Runs a cell, and cancels it as soon as it writes something: it has come that far, however slow the machine is. */
export async function cancelledAtOutput(executor: CodeExecutor, ...lines: string[]): Promise<CodeResult> {
  const controller = new AbortController()
  const execution = executor.execute([python(...lines)], { signal: controller.signal })
  for await (const { type } of execution) if (type === 'stdout') controller.abort()
  return await execution
}

/** For a kernel that must not be ended: a busy machine may need long to end a cell. */
export const longGrace = { interruptGraceMs: 20_000 }

/** Takes longer to save its work than an interrupt takes to be repeated. */
export const savesWork = [
  'import time',
  "saved = ['begun']",
  'try:',
  "    print('begun', flush=True)",
  '    time.sleep(1000)',
  'except KeyboardInterrupt:',
  '    time.sleep(0.5)',
  "    saved.append('done')",
]

/** Any Python, also without Jupyter. */
export const anyPython = requirement(
  'python',
  spawnSync('python3', ['-c', '']).status === 0 ? undefined : 'the program python3 does not work',
)
