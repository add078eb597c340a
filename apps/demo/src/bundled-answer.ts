import { readFile } from 'node:fs/promises'
import { type CodeBlock, type CodeExecutor, exitCodes, extractCodeBlocks } from '@fenced/core'
import type { Answer } from './read-answer.ts'

/** The answer that comes with the demo: in JavaScript where what its usual version needs is not there. */
export async function bundledAnswer(
  executor: CodeExecutor,
  signal: AbortSignal,
): Promise<Answer & { readonly remark?: string }> {
  // A kernel speaks one language, keeps variables and shows pictures.
  if (executor.capabilities.stateful) return readBundled('mandelbrot')
  const answer = await readBundled('collatz')
  const missing = await missingLanguage(executor, answer.blocks, signal)
  if (missing === undefined) return answer
  const instead = await readBundled('collatz-javascript')
  // An image may have neither. Then it is said of the usual version.
  if ((await missingLanguage(executor, instead.blocks, signal)) !== undefined) return answer
  const place = executor.capabilities.isolation === 'container' ? 'in the image' : 'on this machine'
  return { ...instead, remark: `there is no ${missing} ${place}, so this is the JavaScript version` }
}

/** Asks the place itself, by running nothing in each language: it knows best where it looks for them. */
async function missingLanguage(
  executor: CodeExecutor,
  blocks: readonly CodeBlock[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const languages = [...new Set(blocks.map(({ language }) => language))]
  const probes = languages.map((language) => ({ language, code: '' }))
  const { status, exitCode, blocks: results } = await executor.execute(probes, { signal })
  const isMissing = status === 'invalid' && exitCode === exitCodes.notFound
  return isMissing ? results.at(-1)?.block.language : undefined
}

async function readBundled(name: string): Promise<Answer> {
  const markdown = await readFile(new URL(`../answers/${name}.md`, import.meta.url), 'utf8')
  return { title: `${name}.md, which comes with the demo`, blocks: extractCodeBlocks(markdown) }
}
