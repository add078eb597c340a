import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { Channels } from '../../src/network/channels.ts'
import {
  creditFrame,
  type FrameKind,
  frame,
  greeting,
  initialCredit,
  largestContent,
  WireError,
} from '../../src/network/wire.ts'

/** Channels with a helper that this test plays. */
function makeChannels({ takes = () => true }: { takes?: () => boolean } = {}) {
  const sent: Buffer[] = []
  const opened: Duplex[] = []
  let waiting = 0
  const channels = new Channels(
    {
      write: (data) => {
        sent.push(Buffer.from(data))
        return takes()
      },
      waiting: () => waiting,
    },
    () => {},
    (channel) => opened.push(channel),
  )
  const receive = (...frames: Buffer[]) => channels.receive(Buffer.concat(frames))
  const keepWaiting = (bytes: number) => {
    waiting = bytes
  }
  const sentOf = (kind: FrameKind) => sent.filter((each) => each[0] === kind.charCodeAt(0))
  return { channels, sent, sentOf, opened, receive, keepWaiting }
}

it('passes data and their ends on in both directions, however they are cut', async () => {
  const { channels, opened, sent } = makeChannels()
  const all = Buffer.concat([greeting, frame('O', 1), frame('D', 1, Buffer.from('asked')), frame('E', 1)])
  for (const byte of all) channels.receive(Buffer.from([byte]))
  const [channel] = opened
  expect(await text(channel as Duplex)).toBe('asked')
  channel?.end('answered')
  await turn()
  const answer = Buffer.concat(sent.filter((each) => each[0] !== 'C'.charCodeAt(0)))
  expect(answer).toEqual(Buffer.concat([frame('D', 1, Buffer.from('answered')), frame('E', 1)]))
})

it('copies a large frame a few times at most, however small the pieces are that it comes in', () => {
  const { channels, opened } = makeChannels()
  const content = Buffer.alloc(largestContent, 'x')
  const all = Buffer.concat([greeting, frame('O', 1), frame('D', 1, content)])
  const concat = vi.spyOn(Buffer, 'concat')
  for (const byte of all) channels.receive(Buffer.of(byte))
  const copied = concat.mock.results.reduce((sum, { value }) => sum + value.length, 0)
  concat.mockRestore()
  expect(opened[0]?.read()).toEqual(content)
  expect(copied).toBeLessThan(10 * all.length)
})

it('ends a helper that sends what is not in the protocol', ({ everyRow }) =>
  everyRow(
    [
      ['a wrong greeting', [Buffer.from('HTTP/1.1 200 OK\r\n')]],
      ['a frame of an unknown kind', [greeting, Buffer.from('X00000000')]],
      ['a frame that is too long', [greeting, frame('O', 1), Buffer.from([68, 0, 0, 0, 1, 0x7f, 0, 0, 0])]],
      ['a channel twice', [greeting, frame('O', 2), frame('O', 1)]],
      ['a channel that there is not', [greeting, frame('D', 1, Buffer.from('x'))]],
      ['data after their end', [greeting, frame('O', 1), frame('E', 1), frame('D', 1, Buffer.from('x'))]],
      ['credit that is no number', [greeting, frame('O', 1), frame('C', 1, Buffer.from('x'))]],
      ['more credit than there is', [greeting, frame('O', 1), creditFrame(1, 1)]],
    ],
    (_, frames) => {
      const { receive } = makeChannels()
      expect(() => receive(...frames)).toThrow(WireError)
    },
  ))

it('ends a helper that sends more than it has credit for', () => {
  const { receive } = makeChannels()
  receive(greeting, frame('O', 1))
  const content = Buffer.alloc(largestContent)
  for (let sent = 0; sent < initialCredit; sent += content.length) receive(frame('D', 1, content))
  expect(() => receive(frame('D', 1, Buffer.from('x')))).toThrow(WireError)
})

it('ends a helper that does not read what it is sent', () => {
  const { receive, keepWaiting } = makeChannels()
  receive(greeting)
  keepWaiting(2 ** 23)
  expect(() => receive(frame('O', 1))).toThrow(WireError)
})

it('gives credit only for what was read', async () => {
  const { receive, opened, sentOf } = makeChannels()
  receive(greeting, frame('O', 1), frame('D', 1, Buffer.alloc(50_000)))
  await turn()
  expect(sentOf('C')).toEqual([])
  opened[0]?.resume()
  await turn()
  const given = sentOf('C').reduce((sum, each) => sum + each.readUInt32BE(9), 0)
  expect(given).toBe(50_000)
})

it('sends no more than it has credit for, and what is left when it gets some', async () => {
  const { receive, opened, sentOf } = makeChannels()
  receive(greeting, frame('O', 1))
  opened[0]?.write(Buffer.alloc(initialCredit + 1_000))
  await turn()
  const size = () => sentOf('D').reduce((sum, each) => sum + each.readUInt32BE(5), 0)
  expect(size()).toBe(initialCredit)
  receive(creditFrame(1, 400))
  expect(size()).toBe(initialCredit + 400)
})

it('sends nothing more while the way to the helper is full', async () => {
  let isFull = true
  const { channels, receive, opened, sentOf } = makeChannels({ takes: () => !isFull })
  receive(greeting, frame('O', 1))
  opened[0]?.write(Buffer.alloc(2 * largestContent))
  await turn()
  expect(sentOf('D').length).toBe(1)
  isFull = false
  channels.drained()
  expect(sentOf('D').length).toBe(2)
})

it('ends all channels with the helper', async () => {
  const { channels, receive, opened } = makeChannels()
  receive(greeting, frame('O', 1), frame('O', 2))
  channels.end()
  expect(opened.map(({ destroyed }) => destroyed)).toEqual([true, true])
})
