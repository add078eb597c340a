import { readFile } from 'node:fs/promises'
import { type CodeExecutor, exitCodes, extractCodeBlocks } from '@fenced/core'
import type { Answer } from './read-answer.ts'

/** The answer that comes with the demo: in Python, or in JavaScript where there is no Python. */
export async function bundledAnswer(executor: CodeExecutor): Promise<Answer & { readonly remark?: string }> {
  if (await runsPython(executor)) return readBundled('collatz')
  const remark = 'There is no Python on this machine, so this is the JavaScript version of the answer.'
  return { ...(await readBundled('collatz-javascript')), remark }
}

async function runsPython(executor: CodeExecutor): Promise<boolean> {
  const { exitCode } = await executor.execute([{ language: 'python', code: 'pass' }])
  return exitCode !== exitCodes.notFound
}

async function readBundled(name: string): Promise<Answer> {
  const markdown = await readFile(new URL(`../answers/${name}.md`, import.meta.url), 'utf8')
  return { title: `${name}.md, which comes with the demo`, blocks: extractCodeBlocks(markdown) }
}
