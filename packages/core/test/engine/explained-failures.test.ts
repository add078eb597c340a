import { expect, it } from 'vitest'
import { fakeExecutor, ok, type Program } from '../../src/engine/fake-driver.fixture.ts'

const needsCompiler =
  'SyntaxError [ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX]:   x TypeScript enum is not supported in strip-only mode\n'
const undefinedName = "NameError: name 'df' is not defined\n"

const failing =
  (stderr: string): Program =>
  async (io) => {
    await io.write('stderr', Buffer.from(stderr))
    return { exitCode: 1 }
  }

/** Runs a program that defines `df`, and then one that fails with both errors. */
async function codesOf(language: string, stateful: readonly string[] = []): Promise<string[]> {
  const { executor } = fakeExecutor({
    capabilities: { languages: ['python', 'typescript'], stateful },
    programs: { 'df = 1': async () => ok, fails: failing(needsCompiler + undefinedName) },
  })
  await using _ = executor
  const codes = ['df = 1', 'fails'].map((code) => ({ language, code }))
  const { blocks } = await executor.execute(codes)
  return blocks.flatMap(({ notices }) => notices.map(({ code }) => code))
}

it('a failure is explained by its language, and by earlier blocks where each is a new program', async () => {
  expect(await codesOf('python')).toEqual(['name-of-earlier-block'])
  expect(await codesOf('python', ['python'])).toEqual([])
  expect(await codesOf('python', ['typescript'])).toEqual(['name-of-earlier-block'])
  expect(await codesOf('typescript')).toEqual(['typescript-syntax'])
})
