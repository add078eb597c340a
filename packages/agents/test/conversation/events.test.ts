import { setTimeout as sleep } from 'node:timers/promises'
import { shareReplay } from '@fenced/core'
import { describe, expect, it } from 'vitest'
import {
  codeOf,
  endless,
  eventsOf,
  eventsOfType,
  historyOf,
  speaker,
  typesOf,
} from '../../src/agent/agents.fixture.ts'
import type { ChatResult } from '../../src/event.ts'
import { plain } from '../../src/message/messages.fixture.ts'
import { ScriptedHumanInput } from '../../src/testing/scripted-human-input.ts'
import { busyConversation } from './busy-conversation.fixture.ts'

const mebi = 1024 * 1024

/** Long messages, more of them than wait for a reader. */
function longConversation(turns = 8) {
  const said: number[] = []
  const a = speaker('a', endless('a'.repeat(mebi)))
  const b = speaker('b', (turn) => {
    said.push(turn)
    return 'b'.repeat(mebi)
  })
  return { chat: a.initiateChat(b, { message: 'begin', maxTurns: turns }), said, a, b }
}

describe('the events of a conversation', () => {
  it('are all there for whoever comes late', async () => {
    // Without durations, times and ids, which are never the same.
    const told = (events: readonly object[]) =>
      JSON.stringify(events).replaceAll(
        /"(?:(?:duration|queued)Ms":[\d.e-]+|(?:createdAt|id|requestId)":"[^"]*")/g,
        '',
      )
    const early = await eventsOf(busyConversation().begin())
    const chat = busyConversation().begin()
    await chat
    expect(told(await eventsOf(chat))).toBe(told(early))
  })

  it('are there for several readers, from any of them on', async () => {
    const chat = shareReplay(busyConversation().begin())
    const read = async (after?: number) => {
      const types: [number, string][] = []
      for await (const [id, { type }] of chat.entries({ after })) types.push([id, type])
      return types
    }
    const [all, same] = await Promise.all([read(), read()])
    expect(same).toEqual(all)
    expect(all.at(-1)?.[1]).toBe('chat-end')
    expect(await read(10)).toEqual(all.slice(10))
    expect((await chat).status).toBe('done')
  })

  it('need no reader: the result has everything', async () => {
    const [watched, unwatched] = [busyConversation(), busyConversation()]
    const chat = watched.begin()
    await eventsOf(chat)
    const result = await unwatched.begin()
    // Ids and times are never the same.
    const without = ({ messages, ...others }: ChatResult) => ({ ...others, messages: plain(messages) })
    expect(without(result)).toEqual(without(await chat))
    expect(unwatched.executor.ran).toEqual(watched.executor.ran)
  })

  it('have one reader', async () => {
    const chat = speaker('a').initiateChat(speaker('b'), { message: 'begin' })
    await eventsOf(chat)
    expect(await codeOf(() => eventsOf(chat))).toBe('EVENTS_ITERATED_TWICE')
    expect((await chat).status).toBe('done')
  })

  it('end with the error of a reader, and so does the conversation', async () => {
    const a = speaker('a', endless('more'))
    const b = speaker('b', endless('answer'))
    const chat = a.initiateChat(b, { message: 'begin' })
    const reading = async () => {
      for await (const event of chat) if (event.type === 'message') throw new Error('unreadable')
    }
    await expect(reading()).rejects.toThrow('unreadable')
    expect((await chat).status).toBe('cancelled')
    expect(historyOf(a, b).length).toBeLessThan(100)
  })

  it('throw what the conversation failed with, behind what came before', async () => {
    const b = speaker('b', () => Promise.reject(new Error('broken')))
    const seen: string[] = []
    const reading = async () => {
      for await (const { type } of speaker('a').initiateChat(b, { message: 'begin' })) seen.push(type)
    }
    await expect(reading()).rejects.toThrow('broken')
    expect(seen).toEqual(['chat-start', 'message'])
  })

  it('come before the question to a person, however slow their reader is', async () => {
    const seen: string[] = []
    const seenAtQuestions: string[][] = []
    const humanInput = new ScriptedHumanInput((_, index) => {
      seenAtQuestions.push([...seen])
      return index === 0 ? '' : 'exit'
    })
    const b = speaker('b', endless('answer'), { humanInputMode: 'always', humanInput })
    for await (const { type } of speaker('a', endless('more')).initiateChat(b, { message: 'begin' })) {
      await sleep(2)
      seen.push(type)
    }
    expect(seenAtQuestions.map((types) => types.at(-1))).toEqual([
      'human-input-requested',
      'human-input-requested',
    ])
    expect(seenAtQuestions.map((types) => types.length)).toEqual([3, 9])
  })

  it('are dropped, and counted, where nobody reads so much of them', async () => {
    const { chat } = longConversation()
    const result = await chat
    expect(result.messages).toHaveLength(16)
    const events = await eventsOf(chat)
    const dropped = eventsOfType(events, 'events-dropped').reduce((sum, { count }) => sum + count, 0)
    expect(dropped).toBeGreaterThan(0)
    expect(events.length - eventsOfType(events, 'events-dropped').length + dropped).toBe(1 + 16 + 2)
  })

  it('are waited for by the conversation where their reader is slow, and none is dropped', async () => {
    const { chat, said } = longConversation()
    const reader = chat[Symbol.asyncIterator]()
    await reader.next()
    for (let tick = 0; tick < 50; tick++) await new Promise(setImmediate)
    expect(said.length).toBeLessThan(6)
    const types: string[] = []
    for (let next = await reader.next(); !next.done; next = await reader.next()) types.push(next.value.type)
    expect(types.filter((type) => type === 'message')).toHaveLength(16)
    expect(types).not.toContain('events-dropped')
    expect((await chat).messages).toHaveLength(16)
  })

  it('of a conversation in another one stand within it', async () => {
    const events = typesOf(await eventsOf(busyConversation().begin()))
    const depth: number[] = []
    for (const type of events) {
      const now = depth.at(-1) ?? 0
      depth.push(type === 'chat-start' ? now + 1 : type === 'chat-end' ? now - 1 : now)
    }
    expect([Math.max(...depth), Math.min(...depth.slice(0, -1)), depth.at(-1)]).toEqual([2, 1, 0])
  })
})
