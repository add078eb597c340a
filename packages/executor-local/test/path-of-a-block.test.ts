import { readFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { LocalCommandLineCodeExecutor, type LocalExecutorOptions } from '@fenced/executor-local'
import { describe, expect, it } from 'vitest'

const page = readFileSync(new URL('../../../docs/architecture.md', import.meta.url), 'utf8')

/** The source files that a section of the page lists, in its table. */
function filesOf(section: string): string[] {
  const text = page.split(/^##+ /m).find((part) => part.startsWith(section)) ?? expect.fail(section)
  const rows = text.split('\n').filter((line) => line.startsWith('|'))
  return [...rows.join('\n').matchAll(/\]\(\.\.\/((?:packages|shared)\/[^)]+\.ts)\)/g)].map(
    ([, path = '']) => path,
  )
}

const block = { language: 'python', code: 'print(1)' }

/** The source files of which a block calls functions. Earlier blocks start the executor and the resident Python. */
async function calledFiles(options: LocalExecutorOptions): Promise<string[]> {
  await using executor = new LocalCommandLineCodeExecutor(options)
  await executor.execute([block])
  await executor.execute([block])
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await executor.execute([block])
  const { result } = await session.post('Profiler.takePreciseCoverage')
  session.disconnect()
  return result
    .filter(({ functions }) => functions.some(({ functionName, ranges }) => functionName && ranges[0]?.count))
    .flatMap(({ url }) => /(?:packages\/[^/]+|shared)\/src\/.*/.exec(url) ?? [])
}

/** Read only where another process of this machine began during the block. */
const ofOtherProcesses = 'packages/host/src/process-state.ts'

describe.runIf(process.platform === 'linux')('the page about the architecture', () => {
  // The cold path first: while a resident Python of this process runs, its end is known already.
  it.each([
    ['cold', { warm: false }],
    ['warm', {}],
  ] as const)(
    'lists the files that a block passes through on the %s path, and no others',
    async (path, options) => {
      const listed = [...filesOf('Both paths'), ...filesOf(`The ${path} path`)]
      const called = new Set([
        ...(await calledFiles(options)),
        ...listed.filter((file) => file === ofOtherProcesses),
      ])
      expect([...called].toSorted()).toEqual(listed.toSorted())
    },
  )
})
