import { expect, it } from 'vitest'
import { speaker } from '../agent/agents.fixture.ts'
import { initiateChats } from './chat-queue.ts'

// biome-ignore lint/suspicious/noExplicitAny: what a JavaScript program can pass
const wrong = (value: unknown) => value as any
const [a, b] = [speaker('a', ['hello']), speaker('b', ['hello'])]

it('wrong arguments reject with what is wanted', ({ everyRow }) =>
  everyRow<[string, object, () => PromiseLike<unknown>]>(
    [
      ['null options', { option: '' }, () => a.initiateChat(b, wrong(null))],
      ['a text as options', { option: '' }, () => a.initiateChat(b, wrong('begin'))],
      [
        'a function as options',
        { option: '' },
        () =>
          a.initiateChat(
            b,
            wrong(() => {}),
          ),
      ],
      ['a signal that is none', { option: 'signal' }, () => a.initiateChat(b, wrong({ signal: 'x' }))],
      ['no recipient', { value: 'undefined' }, () => a.initiateChat(wrong(undefined), { message: 'x' })],
      ['a null recipient', { value: 'null' }, () => a.initiateChat(wrong(null), { message: 'x' })],
      ['a name as recipient', { value: "'b'" }, () => a.initiateChat(wrong('b'), { message: 'x' })],
      [
        'a null recipient without turns',
        { value: 'null' },
        () => a.initiateChat(wrong(null), { maxTurns: 0 }),
      ],
      ['a null queue', { option: 'queue' }, () => a.initiateChats(wrong(null))],
      ['a null entry', { chat: '0', option: 'recipient' }, () => a.initiateChats(wrong([null]))],
      ['a null entry of no agent', { chat: '0', option: 'recipient' }, () => initiateChats(wrong([null]))],
      ['null options of a queue', { option: '' }, () => a.initiateChats([], wrong(null))],
      ['a null recipient of send', { value: 'null' }, () => a.send('x', wrong(null))],
      ['null options of send', { option: '' }, () => a.send('x', b, wrong(null))],
      ['null options of generateReply', { option: '' }, () => a.generateReply(wrong(null))],
    ],
    async (_, data, call) => {
      // Called outside of the promise: none of them throws before there is one.
      const chat = call()
      await expect(Promise.resolve(chat)).rejects.toMatchObject({ code: 'INVALID_OPTIONS', data })
    },
  ))

it('an agent of another copy is named as such', async () => {
  const other = { name: 'b', initiateChat() {} }
  const chat = a.initiateChat(wrong(other), { message: 'x' })
  await expect(chat).rejects.toMatchObject({
    code: 'INVALID_OPTIONS',
    data: { package: '@fenced/agents' },
  })
})

it('no options at all are none', async () => {
  const chat = speaker('c', [], { humanInput: { ask: () => Promise.resolve('exit') } }).initiateChat(b)
  expect(await chat).toMatchObject({ status: 'done' })
})
