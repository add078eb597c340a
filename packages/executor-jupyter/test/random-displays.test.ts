import type { ExecutionEvent, MimeBundle } from '@fenced/core'
import { numberOfCases } from '@fenced/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { directExecutor, jupyter, python } from './support.ts'

/** Sizes around those at which output is cut into messages, and windows are full. */
const size = fc.oneof(fc.integer({ min: 0, max: 200 }), fc.constantFrom(2 ** 16, 2 ** 18, 2 ** 20))

/** A statement of a cell, and the length of what it leaves shown. */
const statement = fc.oneof(
  fc.record({ kind: fc.constantFrom('show' as const), size, count: fc.constantFrom(1, 1, 3, 300) }),
  fc.record({ kind: fc.constantFrom('named' as const), size, name: fc.constantFrom('a', 'b') }),
  fc.record({ kind: fc.constantFrom('print' as const), size }),
  fc.record({ kind: fc.constantFrom('clear' as const), waits: fc.boolean() }),
)

type Statement = typeof statement extends fc.Arbitrary<infer Value> ? Value : never

function codeOf(each: Statement): string {
  if (each.kind === 'print') return `print('p' * ${each.size})`
  if (each.kind === 'clear') return `clear_output(wait=${each.waits ? 'True' : 'False'})`
  const shown = `{'text/plain': 'x' * ${each.size}}, raw=True`
  // Shown again where it is shown already, which is an update.
  if (each.kind === 'named')
    return `display(${shown}, display_id='${each.name}', update='${each.name}' in known)\nknown.add('${each.name}')`
  return `for _ in range(${each.count > 1 && each.size > 200 ? 1 : each.count}): display(${shown})`
}

/** The results that a reader of the events has. */
function resultsIn(events: readonly ExecutionEvent[]): MimeBundle[] {
  const shown = new Map<string | symbol, MimeBundle>()
  for (const event of events) {
    if (event.type === 'clear') shown.clear()
    if (event.type === 'result') shown.set(event.displayId ?? Symbol('result'), event.result)
  }
  return [...shown.values()]
}

/** The lengths of what a notebook shows after these statements. */
function lengthsOf(statements: readonly Statement[]): number[] {
  let shown: { name: string | undefined; size: number }[] = []
  let isClearDue = false
  const known = new Set<string>()
  for (const each of statements) {
    if (each.kind === 'clear') {
      if (!each.waits) shown = []
      isClearDue = each.waits
      continue
    }
    const isUpdate = each.kind === 'named' && known.has(each.name)
    if (each.kind === 'named') known.add(each.name)
    if (isClearDue && !isUpdate) shown = []
    isClearDue &&= isUpdate
    if (each.kind === 'show')
      for (let count = each.size > 200 ? 1 : each.count; count > 0; count--)
        shown.push({ name: undefined, size: each.size })
    const same = each.kind === 'named' ? shown.find(({ name }) => name === each.name) : undefined
    if (same !== undefined) same.size = each.size
    else if (each.kind === 'named') shown.push({ name: each.name, size: each.size })
  }
  return shown.map((each) => each.size)
}

describe.skipIf(jupyter.missing)('random displays, updates and clears of a cell', () => {
  it('are the same in events and results, and all of them are there', async () => {
    await using executor = directExecutor()
    await fc.assert(
      fc.asyncProperty(fc.array(statement, { maxLength: 12 }), async (statements) => {
        const code = ['from IPython.display import clear_output', 'known = set()', ...statements.map(codeOf)]
        const execution = executor.execute([python(...code)])
        const events: ExecutionEvent[] = []
        for await (const event of execution) events.push(event)
        const [block] = (await execution).blocks
        expect(block?.notices).toEqual([])
        expect(resultsIn(events)).toEqual(block?.results.map(({ data }) => data))
        expect(block?.results.map((each) => String(each.data['text/plain']).length)).toEqual(
          lengthsOf(statements),
        )
      }),
      { numRuns: numberOfCases({ usual: 10, nightly: 500 }) },
    )
  })
})
