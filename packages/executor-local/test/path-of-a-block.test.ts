import { readFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { describe, expect, it } from 'vitest'

const page = readFileSync(new URL('../../../docs/architecture.md', import.meta.url), 'utf8')
const rows = page
  .split('\n')
  .filter((line) => /^\| \d+ \|/.test(line))
  .map((line) => [...line.matchAll(/\]\(\.\.\/(packages\/[^)]+\.ts)\)/g)].map(([, path = '']) => path))

/** The files of the page for every block, and those of each path alone. */
const [both, paths] = [rows.slice(0, 7).flat(), rows.slice(7)]
const warm = paths.map(([first]) => first)
const cold = paths.flatMap(([, second]) => second ?? [])

const block = { language: 'python', code: 'print(1)' }

/** The source files of which a block calls functions. */
async function calledFiles(executor: LocalCommandLineCodeExecutor): Promise<string[]> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await executor.execute([block])
  const { result } = await session.post('Profiler.takePreciseCoverage')
  session.disconnect()
  return result
    .filter(({ functions }) => functions.some(({ functionName, ranges }) => functionName && ranges[0]?.count))
    .flatMap(({ url }) => /packages\/[^/]+\/src\/.*/.exec(url) ?? [])
}

describe('the path of a block, as the page about the architecture draws it', () => {
  it.each([
    ['warm', true, warm, cold],
    ['cold', false, cold, warm],
  ] as const)(
    'passes the files of the %s path, and none of the other path alone',
    async (_, option, own, other) => {
      await using executor = new LocalCommandLineCodeExecutor({ warm: option })
      // The start of the executor and of the resident Python is not part of the path.
      await executor.execute([block])
      const called = await calledFiles(executor)
      const onPath = [...both, ...own]
      expect(onPath.length).toBeGreaterThan(9)
      expect(onPath.filter((path) => !called.includes(path ?? ''))).toEqual([])
      // A resident Python is a process of the sandbox as well.
      const ofOthers = other.filter((path) => path !== 'packages/sandbox-local/src/local-sandbox.ts')
      expect(ofOthers.filter((path) => called.includes(path ?? ''))).toEqual([])
    },
  )
})
