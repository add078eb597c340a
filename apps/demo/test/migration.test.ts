import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { extractCodeBlocks } from '@fenced/core'
import { expect, it } from 'vitest'
import { python } from './demo.ts'
import { docker } from './docker.ts'
import { runExample } from './run-example.ts'

const page = join(import.meta.dirname, '../../../docs/migrating-from-ag2.md')
const blocks = extractCodeBlocks(await readFile(page, 'utf8'))

/** Each program with what the page says that it prints. */
const examples = blocks.flatMap(({ language, code }, index) =>
  language === 'typescript' ? [{ code, shown: blocks[index + 1]?.code ?? '' }] : [],
)

it.skipIf(python.missing).each([
  ['SC-08: the system’s Python, and a tool that two agents share', 0],
  ['SC-09: a virtual environment, and a temporary directory', 1],
  ['a tool without agents', 3],
])('the page about AG2 prints what it says: %s', (_, index) => tryExample(index))

it.skipIf(docker.missing)('the page about AG2 prints what it says: SC-10: Docker', () => tryExample(2))

it('SC-11: the page says how isolated each environment is, and what the time limit is', async () => {
  expect(examples).toHaveLength(4)
  const text = (await readFile(page, 'utf8')).replaceAll('\n', ' ')
  expect(text).toMatch(/none for the system's Python, packages only for a virtual environment, a container/)
  expect(text).toContain('The default time limit is 30 s')
})

async function tryExample(index: number): Promise<void> {
  const { code = '', shown } = examples[index] ?? {}
  expect(await runExample(code, join(import.meta.dirname, '..'))).toBe(`${shown}\n`)
}
