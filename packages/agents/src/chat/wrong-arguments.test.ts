import { expect, it } from 'vitest'
import { codeOf, speaker } from '../agent/agents.fixture.ts'
import { initiateChats } from './chat-queue.ts'

// biome-ignore lint/suspicious/noExplicitAny: what a JavaScript program can pass
const wrong = (value: unknown) => value as any
const [a, b] = [speaker('a', ['hello']), speaker('b', ['hello'])]

it.each<[string, string, () => PromiseLike<unknown>]>([
  ['null options', 'expected object|must be', () => a.initiateChat(b, wrong(null))],
  ['a text as options', 'must be', () => a.initiateChat(b, wrong('begin'))],
  [
    'a function as options',
    'must be',
    () =>
      a.initiateChat(
        b,
        wrong(() => {}),
      ),
  ],
  ['a signal that is none', 'must be an AbortSignal', () => a.initiateChat(b, wrong({ signal: 'x' }))],
  ['no recipient', 'ConversableAgent is needed', () => a.initiateChat(wrong(undefined), { message: 'x' })],
  ['a null recipient', 'ConversableAgent is needed', () => a.initiateChat(wrong(null), { message: 'x' })],
  ['a name as recipient', "got 'b'", () => a.initiateChat(wrong('b'), { message: 'x' })],
  ['a null recipient without turns', 'is needed', () => a.initiateChat(wrong(null), { maxTurns: 0 })],
  ['a null queue', 'must be a list', () => a.initiateChats(wrong(null))],
  ['a null entry', 'chat 0 has no `recipient`', () => a.initiateChats(wrong([null]))],
  ['a null entry of no agent', 'chat 0 has no `recipient`', () => initiateChats(wrong([null]))],
  ['null options of a queue', 'must be', () => a.initiateChats([], wrong(null))],
  ['a null recipient of send', 'is needed', () => a.send('x', wrong(null))],
  ['null options of send', 'must be', () => a.send('x', b, wrong(null))],
  ['null options of generateReply', 'must be', () => a.generateReply(wrong(null))],
])('%s reject with what is wanted', async (_, message, call) => {
  // Called outside of the promise: none of them throws before there is one.
  const chat = call()
  const error = await Promise.resolve(chat).catch((reason: unknown) => reason)
  expect(await codeOf(() => chat)).toBe('INVALID_OPTIONS')
  expect((error as Error).message).toMatch(new RegExp(message))
})

it('an agent of another copy is named as such', async () => {
  const other = { name: 'b', initiateChat() {} }
  const chat = a.initiateChat(wrong(other), { message: 'x' })
  await expect(chat).rejects.toMatchObject({ message: expect.stringContaining('another installed copy') })
})

it('no options at all are none', async () => {
  const chat = speaker('c', [], { humanInput: { ask: () => Promise.resolve('exit') } }).initiateChat(b)
  expect(await chat).toMatchObject({ status: 'done' })
})
