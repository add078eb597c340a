// @module-tag all

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type CodeBlock, FencedError } from '@fenced/core'
import { numberOfCases } from '@fenced/testing'
import fc from 'fast-check'
import { assert, expect, it } from 'vitest'
import { LocalCommandLineCodeExecutor } from '../src/index.ts'
import { bubblewrap } from './requirements.ts'

/** Both ends, also in a short run. */
const examples: [string][] = [['\ud83d'], ['\u{1f600} é']]

const cases = { examples, numRuns: numberOfCases({ usual: 3, nightly: 300 }) }

/** Texts with any characters, and halves of surrogate pairs among them. */
const texts = fc
  .array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\ud83d', '\udc00', 'é', '\0', "'", '\n')), {
    maxLength: 6,
  })
  .map((parts) => parts.join(''))

/** What a call returns, or `undefined` for the error of a text that would arrive changed. */
async function unlessRefused<Value>(call: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await call()
  } catch (error) {
    if (!FencedError.isInstance(error)) throw error
    expect(['INVALID_OPTIONS', 'FILE_REFUSED']).toContain(error.code)
    return undefined
  }
}

const isRefused = (text: string) => !text.isWellFormed()

it('a program arrives as it is given, or is refused', async () => {
  await using executor = new LocalCommandLineCodeExecutor()
  const lines = texts.map((text) => text.replaceAll('\r', ''))
  await fc.assert(
    fc.asyncProperty(lines, async (text) => {
      const code = `# filename: given.sh\nexit 0\n${text}`
      const { status, blocks } = await executor.execute([{ language: 'sh', code }])
      if (isRefused(text)) {
        expect([status, blocks[0]?.notices.map(({ code }) => code)]).toEqual(['invalid', ['invalid']])
        return
      }
      const file = await readFile(join(executor.workDir ?? '', 'given.sh'), 'utf8')
      expect([code, `${code}\n`]).toContain(file)
    }),
    cases,
  )
})

const printed: CodeBlock = { language: 'sh', code: `printf %s "$GIVEN" > printed` }

it.each(['none', ...(bubblewrap.missing ? [] : ['bubblewrap' as const])] as const)(
  'a variable arrives as it is given, or is refused: isolation %s',
  async (isolation) => {
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        const got = await unlessRefused(async () => {
          await using executor = new LocalCommandLineCodeExecutor({ env: { GIVEN: text }, isolation })
          await executor.execute([printed])
          return await readFile(join(executor.workDir ?? '', 'printed'), 'utf8')
        })
        expect(got).toBe(isRefused(text) || text.includes('\0') ? undefined : text)
      }),
      { examples, numRuns: numberOfCases({ usual: 2, nightly: 50 }) },
    )
  },
)

it('a file, an argument and a variable of a process arrive as they are given, or are refused', async () => {
  await using executor = new LocalCommandLineCodeExecutor()
  await executor.start()
  const { sandbox } = executor
  assert(sandbox)
  const output = async (command: readonly [string, ...string[]], env = {}) => {
    const chunks: Uint8Array[] = []
    const process = await sandbox.spawn(command, {
      env,
      output: (_, chunk) => void chunks.push(Buffer.from(chunk)),
    })
    await process.ended
    return Buffer.concat(chunks).toString()
  }
  await fc.assert(
    fc.asyncProperty(texts, async (text) => {
      const wrote = await unlessRefused(() => sandbox.files.write('file', text).then(() => true))
      const file = await readFile(join(executor.workDir ?? '', 'file'), 'utf8').catch(() => undefined)
      expect(wrote === true ? file : undefined).toBe(isRefused(text) ? undefined : text)
      const ofProgram = isRefused(text) || text.includes('\0') ? undefined : text
      const argument = await unlessRefused(() => output(['sh', '-c', 'printf %s "$1"', 'sh', text]))
      expect(argument).toBe(ofProgram)
      const variable = await unlessRefused(() => output(['sh', '-c', 'printf %s "$GIVEN"'], { GIVEN: text }))
      expect(variable).toBe(ofProgram)
    }),
    cases,
  )
})
