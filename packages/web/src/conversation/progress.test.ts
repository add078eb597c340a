import { describe, expect, it } from 'vitest'
import type { ConversationEvent, LoggedEvent } from '../event.ts'
import { ProgressReader } from './progress.ts'

function* logOf(events: Iterable<ConversationEvent>): Generator<LoggedEvent> {
  let seq = 0
  for (const event of events) yield { seq: ++seq, createdAt: '2026-01-01T00:00:00.000Z', event }
}

const said = (content: string): ConversationEvent => ({ type: 'message', messageId: content, content })

function* answered(text: string): Generator<ConversationEvent> {
  yield { type: 'answer-start', answerId: text, model: 'm' }
  yield { type: 'text-delta', answerId: text, text }
  yield { type: 'answer-end', answerId: text, complete: true }
}

describe('what a model reads of a conversation', () => {
  it('is all of it where it is short, however it was read', () => {
    const events = [...logOf([said('Task.'), ...answered('One.'), said('More.'), ...answered('Two.')])]
    const reader = new ProgressReader()
    for (const event of events) reader.read([event])
    expect(reader.position).toBe(events.length)
    expect(reader.progress).toEqual(new ProgressReader().read(events).progress)
    expect(reader.progress.messages.map(({ content }) => content)).toEqual(['Task.', 'One.', 'More.', 'Two.'])
    expect(reader.progress.next).toEqual({ type: 'run', of: 'Two.', text: 'Two.' })
  })

  it('is the task and the newest messages where it is long', () => {
    const turns = Array.from({ length: 50 }, (_, index) => [said(`m${index} `.padEnd(100, '.'))])
    const events = logOf([said('Task.'), ...turns.flat(), said('y'.repeat(5_000))])
    const { messages } = new ProgressReader({ maxPromptCharacters: 1_000 }).read(events).progress
    const [first, ...newest] = messages.map(({ content }) => content)
    expect(first).toMatch(/^Task\.\n\n\[4\d messages that followed are left out here/)
    expect(newest.at(-1)).toMatch(/^y+\n\[\.\.\. 4500 of 5000 characters left out \.\.\.\]\ny+$/)
    expect(newest.at(-2)).toMatch(/^m49 /)
    expect(newest.join('').length).toBeLessThan(1_100)
  })

  it('is bounded in memory while the log is read', () => {
    const flood = function* () {
      yield said('Task.')
      for (let index = 0; index < 5_000; index++) yield said(Buffer.alloc(100_000, `${index} `).toString())
    }
    const { messages } = new ProgressReader().read(logOf(flood())).progress
    expect(messages.length).toBeLessThan(10)
  })
})
