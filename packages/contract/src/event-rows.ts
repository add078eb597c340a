import assert from 'node:assert/strict'
import type { ExecutionEvent } from '@fenced/core'
import { processesLeft, uniqueSeconds } from '@fenced/testing'
import type { ContractRow } from './contract.ts'

/** Rules for the events of an execution. */
export const eventRows: readonly ContractRow[] = [
  {
    name: 'events come in the documented order, the result last',
    needs: ['print'],
    async checkShared({ executor, programs: { print }, block }) {
      const events: ExecutionEvent[] = []
      for await (const event of executor.execute([block(print('one')), block(print('two'))]))
        events.push(event)
      // Notices of the start and questions come before, where there are any.
      const ofBlocks = events.filter((event) => 'index' in event || event.type === 'execution-end')
      const names = ofBlocks.map((event) => ('index' in event ? `${event.type} ${event.index}` : event.type))
      assert.deepEqual(
        // A line may come in more than one write.
        names.filter((name, position) => name !== names[position - 1]),
        [
          'block-start 0',
          'stdout 0',
          'block-end 0',
          'block-start 1',
          'stdout 1',
          'block-end 1',
          'execution-end',
        ],
      )
      const last = events.at(-1)
      assert.equal(last?.type === 'execution-end' && last.result.output, 'one\ntwo\n')
    },
  },
  {
    name: 'output comes while the program still runs, and leaving the loop ends the program',
    needs: ['print', 'sleep'],
    async checkShared({ executor, programs: { print, sleep }, block }) {
      const seconds = uniqueSeconds()
      const execution = executor.execute([block(print('early'), sleep(seconds))])
      for await (const event of execution) {
        if (event.type === 'stdout') break
      }
      assert.partialDeepStrictEqual(await execution, { status: 'cancelled', exitCode: 125 })
      assert.deepEqual(await processesLeft(`${seconds}`), [])
    },
  },
  {
    name: 'an execution that was iterated can be awaited as well',
    needs: ['print'],
    async checkShared({ executor, programs: { print }, block }) {
      const execution = executor.execute([block(print('both'))])
      let text = ''
      for await (const event of execution) if (event.type === 'stdout') text += event.text
      assert.equal(text, 'both\n')
      assert.equal((await execution).output, 'both\n')
    },
  },
  {
    name: 'a reader that does not read on holds the program back, but not its time limit',
    needs: ['flood'],
    async check({ create, programs: { flood }, block }) {
      await using executor = create({ timeoutMs: 1_500 })
      const execution = executor.execute([block(flood)])
      await execution[Symbol.asyncIterator]().next()
      assert.partialDeepStrictEqual(await execution, { status: 'timeout', exitCode: 124 })
    },
  },
]
