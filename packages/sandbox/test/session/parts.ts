import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { pythonPath } from '../python.ts'

const run = promisify(execFile)
const parts = ['contents', 'store', 'restore', 'state', 'by_value', 'reload', 'variables']
const source = parts
  .map((name) => readFileSync(new URL(`../../python/session/${name}.py`, import.meta.url), 'utf8'))
  .join('\n')

/** Runs a script of this directory in Python, after the parts of a session that need no processes. */
export function runPart(script: string, ...args: readonly string[]): Promise<string> {
  return runSource(source, script, args)
}

/** The same with another text in the place of a part's text, which is there once. */
export function runChanged(
  [text, other]: readonly [string, string],
  script: string,
  args: readonly string[],
): Promise<string> {
  if (source.split(text).length !== 2)
    throw new Error(`The parts of a session have this text not once: ${text}`)
  return runSource(
    source.replace(text, () => other),
    script,
    args,
  )
}

async function runSource(parts: string, script: string, args: readonly string[]): Promise<string> {
  const [before, after] = ['prelude.py', script].map((name) =>
    readFileSync(new URL(name, import.meta.url), 'utf8'),
  )
  try {
    const command = ['-c', `${before}\n${parts}\n${after}`, ...args]
    return (await run(pythonPath, command, { maxBuffer: 2 ** 24 })).stdout
  } catch (error) {
    // Its last line names the error.
    throw new Error(
      String((error as { readonly stderr?: string }).stderr)
        .trim()
        .split('\n')
        .at(-1),
    )
  }
}
