import { type ExecutionEvent, executeStream, extractCodeBlocks } from '@fenced/core'
import { numberOfCases } from '@fenced/testing'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { LocalCommandLineCodeExecutor } from '../src/index.ts'

const secret = 'hunter2-é'
const pieces = ['hunt', 'er2-', 'é', secret, secret.slice(0, -1), 'a', '\n']

/** A block that prints pieces of the secret, and may fail. */
const block = fc
  .record({
    printed: fc.array(fc.constantFrom(...pieces), { maxLength: 4 }),
    stream: fc.constantFrom('', ' >&2'),
    file: fc.constantFrom('', 'touch made', 'rm -f made'),
    exitCode: fc.constantFrom(0, 0, 0, 3),
  })
  .map(({ printed, stream, file, exitCode }) =>
    ['```sh', `printf %s '${printed.join('')}'${stream}`, file, `exit ${exitCode}`, '```'].join('\n'),
  )

const answer = fc
  .array(fc.oneof(block, fc.constantFrom('Text.', '```json\n{}\n```', '```text\nno\n```', '```sh')), {
    maxLength: 4,
  })
  .map((parts) => `${parts.join('\n\n')}\n`)

it('an answer gives the same result and events in chunks as at once, with a secret that blocks print in parts', async () => {
  await fc.assert(
    fc.asyncProperty(answer, fc.integer({ min: 1, max: 40 }), async (text, size) => {
      const seen = []
      for (const isStreamed of [false, true]) {
        await using executor = new LocalCommandLineCodeExecutor({ redact: [secret] })
        const execution = isStreamed
          ? executeStream(executor, chunksOf(text, size))
          : executor.execute(extractCodeBlocks(text))
        const events: ExecutionEvent[] = []
        for await (const event of execution) events.push(event)
        const outcome = { result: await execution, events: shapes(events) }
        seen.push(comparable(outcome, executor.workDir))
      }
      expect(JSON.stringify(seen)).not.toContain(secret)
      expect(seen[1]).toEqual(seen[0])
    }),
    { numRuns: numberOfCases({ usual: 6, nightly: 300 }) },
  )
})

async function* chunksOf(text: string, size: number): AsyncGenerator<string> {
  for (let start = 0; start < text.length; start += size) yield text.slice(start, start + size)
}

/** Data without what differs between two runs: times, and the paths of directories and temporary files. */
function comparable(data: unknown, workDir = ''): unknown {
  const text = JSON.stringify(data, (key, value) =>
    key.endsWith('Ms') || key === 'usage' ? undefined : value,
  )
  return JSON.parse(text.replaceAll(workDir, '').replaceAll(/\.fenced-[0-9a-f]+/g, '.fenced'))
}

/** Each event's kind and block, with the text of a stream of a block as a whole. */
function shapes(events: readonly ExecutionEvent[]): unknown {
  const written: Record<string, string> = {}
  const kinds = events.map((event) => {
    const kind = 'index' in event ? `${event.type} ${event.index}` : event.type
    if ('text' in event) written[kind] = `${written[kind] ?? ''}${event.text}`
    return kind
  })
  return { kinds: kinds.filter((kind, index) => kind !== kinds[index - 1]), written }
}
