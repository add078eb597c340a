import { PassThrough, Writable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import type { AgentEvent } from '@fenced/agents'
import { createEvent } from '@fenced/agents/testing'
import { describe, expect, it } from 'vitest'
import { consoleView } from '../../src/console/console-view.ts'
import {
  chatEnd,
  chatStart,
  fibonacci,
  fibonacciTranscript,
  said,
} from '../../src/console/conversation.fixture.ts'

describe('the transcript', () => {
  it('of the 14th Fibonacci number is what AutoGen prints (SC-03)', async () => {
    const { output, text } = collect()
    const result = await consoleView(stream(fibonacci), { output })
    expect(text()).toBe(fibonacciTranscript)
    expect(result).toMatchObject({ summary: '233' })
  })

  it('has an empty body for an empty message (SC-16)', async () => {
    const { output, text } = collect()
    await consoleView(stream([said('executor', 'writer', ''), chatEnd]), { output })
    expect(text()).toBe(`executor (to writer):\n\n\n\n${'-'.repeat(80)}\n`)
  })

  it('is plain where nobody sees colors, and colored where they are asked for', async () => {
    const plain = collect()
    const colored = collect()
    await consoleView(stream(fibonacci), { output: plain.output })
    await consoleView(stream(fibonacci), { output: colored.output, colors: true })
    expect(plain.text()).not.toContain('\u001B')
    const text = colored.text()
    expect(text).toContain('\u001B[33mcode_executor\u001B[39m (to code_writer):\n')
    expect(text).toContain('\u001B[31m>>>>>>>> USING AUTO REPLY...\u001B[39m\n')
  })

  it('fits a narrow terminal', async () => {
    const { output, text } = collect()
    Object.assign(output, { isTTY: true, columns: 40 })
    await consoleView(stream([said('a', 'b', 'x'.repeat(100)), chatEnd]), { output, colors: false })
    expect(text()).toBe(`a (to b):\n\n${'x'.repeat(100)}\n\n${'-'.repeat(40)}\n`)
  })

  it('says why the conversation ends where that is asked for', async () => {
    const over = createEvent({ type: 'termination', agent: 'a', reason: 'The work is done.' })
    const events = [chatStart, over, chatEnd]
    const silent = collect()
    const telling = collect()
    await consoleView(stream(events), { output: silent.output })
    await consoleView(stream(events), { output: telling.output, showTermination: true })
    expect(silent.text()).toBe('')
    expect(telling.text()).toBe('\n>>>>>>>> TERMINATING RUN: The work is done.\n')
  })
})

describe('the result', () => {
  it('is that of the outermost chat', async () => {
    const inner = { ...chatEnd, result: { ...chatEnd.result, summary: 'inner' } }
    const outer = { ...chatEnd, result: { ...chatEnd.result, summary: 'outer' } }
    const result = await consoleView(stream([inner, outer]), { output: collect().output })
    expect(result).toMatchObject({ summary: 'outer' })
  })

  it('is what an awaitable chat comes to', async () => {
    const chat = Object.assign(Promise.resolve(['first', 'second']), {
      [Symbol.asyncIterator]: () => stream([chatEnd]),
    })
    expect(await consoleView(chat, { output: collect().output })).toEqual(['first', 'second'])
  })

  it('is missing when the events end too early', async () => {
    await expect(
      consoleView(stream([said('a', 'b', 'x')]), { output: collect().output }),
    ).rejects.toMatchObject({
      code: 'CHAT_NOT_ENDED',
    })
  })

  it('is the error of a chat that fails', async () => {
    async function* failing(): AsyncGenerator<AgentEvent> {
      yield said('a', 'b', 'before')
      throw new Error('no model')
    }
    const { output, text } = collect()
    await expect(consoleView(failing(), { output })).rejects.toThrow('no model')
    expect(text()).toContain('before')
  })
})

describe('the output', () => {
  it('is waited for when it is slow', async () => {
    const writes: (() => void)[] = []
    const output = new Writable({ highWaterMark: 1, write: (_chunk, _encoding, done) => writes.push(done) })
    let given = 0
    async function* events(): AsyncGenerator<AgentEvent> {
      for (; given < 3; given++) yield said('a', 'b', `${given}`)
      yield chatEnd
    }
    const shown = consoleView(events(), { output })
    await turn()
    expect([given, writes.length]).toEqual([0, 1])
    for (let write = writes.shift(); write !== undefined; write = writes.shift()) {
      write()
      await turn()
      await turn()
    }
    await shown
    expect(given).toBe(3)
  })

  it.each(['before', 'while'])('that is closed %s it is written to ends the chat', async (when) => {
    const output = new Writable({ highWaterMark: 1, write() {} })
    let left = false
    async function* events(): AsyncGenerator<AgentEvent> {
      try {
        for (;;) yield said('a', 'b', 'x')
      } finally {
        left = true
      }
    }
    if (when === 'before') output.destroy()
    const shown = consoleView(events(), { output })
    if (when === 'while') setImmediate(() => output.destroy(new Error('EPIPE')))
    await expect(shown).rejects.toMatchObject({ code: 'OUTPUT_CLOSED' })
    expect(left).toBe(true)
  })

  it('is left as it was', async () => {
    const { output } = collect()
    const before = output.eventNames().map((name) => [name, output.listenerCount(name)])
    await consoleView(stream(fibonacci), { output })
    expect(output.eventNames().map((name) => [name, output.listenerCount(name)])).toEqual(before)
  })
})

function collect(): { output: PassThrough; text: () => string } {
  const output = new PassThrough({ highWaterMark: 2 ** 20 })
  return { output, text: () => output.read()?.toString() ?? '' }
}

async function* stream(events: readonly AgentEvent[]): AsyncGenerator<AgentEvent> {
  yield* events
}
