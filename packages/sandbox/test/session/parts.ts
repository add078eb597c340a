import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { pythonPath } from '../python.ts'

const run = promisify(execFile)
const parts = ['contents', 'store', 'restore', 'state', 'by_value', 'reload', 'variables']

/** Runs a script of this directory in Python, after the parts of a session that need no processes. */
export async function runPart(script: string, ...args: readonly string[]): Promise<string> {
  const sources = [
    new URL('prelude.py', import.meta.url),
    ...parts.map((name) => new URL(`../../python/session/${name}.py`, import.meta.url)),
    new URL(script, import.meta.url),
  ]
  const source = sources.map((url) => readFileSync(url, 'utf8')).join('\n')
  const { stdout } = await run(pythonPath, ['-c', source, ...args], { maxBuffer: 2 ** 24 })
  return stdout
}
