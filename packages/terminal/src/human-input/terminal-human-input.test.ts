import { PassThrough } from 'node:stream'
import type { ReadStream } from 'node:tty'
import { humanInputRequest } from '@fenced/agents/testing'
import { describe, expect, it } from 'vitest'
import { TerminalHumanInput } from './terminal-human-input.ts'

// How it does with a terminal is tested in a real one: test/terminal.
describe('without a terminal', () => {
  const agents = { agent: 'executor', partner: 'writer' }
  const request = humanInputRequest({ kind: 'reply', ...agents, prompt: 'Well? ' })

  it('it rejects at once and says what to do', async () => {
    const input = new PassThrough() as unknown as ReadStream
    const asked = new TerminalHumanInput({ input }).ask(request, new AbortController())
    await expect(asked).rejects.toMatchObject({
      code: 'HUMAN_INPUT_UNAVAILABLE',
      data: { agent: 'executor' },
    })
    expect(input.eventNames()).toEqual(new PassThrough().eventNames())
  })

  it('it rejects with the reason of a signal that was aborted before', async () => {
    const signal = AbortSignal.abort(new Error('too late'))
    await expect(new TerminalHumanInput().ask(request, { signal })).rejects.toThrow('too late')
  })
})
