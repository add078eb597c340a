import { expect, it } from 'vitest'
import type { ExecutionEvent } from '../../execution.ts'
import { blockEnd } from '../block-end.ts'
import type { EngineContext } from '../engine-context.ts'
import { engineOptions } from '../fake-driver.fixture.ts'
import { BlockRecorder } from './block-recorder.ts'
import type { EventQueue } from './event-queue.ts'

it('a finished result, and its events, no longer change', () => {
  const events: ExecutionEvent[] = []
  const queue = { push: (event: ExecutionEvent) => void events.push(event) } as unknown as EventQueue
  const engine = { options: engineOptions(), driver: {} } as EngineContext
  const block = { language: 'python', code: 'pay()' }
  const recorder = new BlockRecorder(engine, { block, index: 0, events: queue, hasTools: true }, () => {})
  recorder.end(blockEnd({ status: 'died' }))
  const result = recorder.finish({})
  const finished = structuredClone(result)
  const call = { id: '1', tool: 'pay', input: {}, durationMs: 1 } as unknown as Parameters<
    typeof recorder.toolResult
  >[0]
  recorder.toolCall(call)
  recorder.toolResult(call)
  recorder.notice({ code: 'died', message: 'It has died.' })
  recorder.connection({ id: '1', host: 'a.example', port: 443, verdict: 'refused' } as Parameters<
    typeof recorder.connection
  >[0])
  expect(result).toEqual(finished)
  expect(events.at(-1)?.type).toBe('block-end')
})
