import { expect, test } from 'vitest'
import type { IncomingMessage } from '../protocol/incoming-message.ts'
import { Backlog } from './backlog.ts'

const mebibyte = 2 ** 20

function message(type: string, byteCount = 100): IncomingMessage {
  return { type, byteCount, read: () => undefined }
}

/** A backlog whose listener takes nothing until it is released. */
function held() {
  const taken: string[] = []
  const dropped: number[] = []
  const droppedMessages: number[] = []
  const gate = Promise.withResolvers<void>()
  let isOpen = false
  const backlog = new Backlog({
    take: ({ type }) => {
      taken.push(type)
      if (!isOpen) return gate.promise
    },
    dropped: (byteCount, messageCount) => {
      dropped.push(byteCount)
      droppedMessages.push(messageCount)
    },
  })
  const release = async () => {
    isOpen = true
    gate.resolve()
    await backlog.drained()
  }
  return { backlog, taken, dropped, droppedMessages, release }
}

test('takes at once and in order what comes one by one, and what comes together', async () => {
  const taken: string[] = []
  const backlog = new Backlog({ take: ({ type }) => void taken.push(type), dropped: () => {} })
  backlog.push(message('a'))
  expect(taken).toEqual(['a'])
  backlog.push(message('b'))
  backlog.push(message('c'))
  await backlog.drained()
  expect(taken).toEqual(['a', 'b', 'c'])
})

test('waits for the listener before it hands on the next one', async () => {
  const { backlog, taken, release } = held()
  backlog.push(message('a'))
  backlog.push(message('b'))
  for (let count = 0; count < 100; count++) await undefined
  expect(taken).toEqual(['a'])
  await release()
  expect(taken).toEqual(['a', 'b'])
})

test('drops the oldest output beyond its capacity, and nothing else', async () => {
  const { backlog, taken, dropped, droppedMessages, release } = held()
  backlog.push(message('status'))
  for (let count = 0; count < 40; count++) {
    backlog.push(message('stream', mebibyte))
    backlog.push(message('execute_reply'))
  }
  await release()
  expect(taken.filter((type) => type === 'execute_reply')).toHaveLength(40)
  const kept = taken.filter((type) => type === 'stream').length
  expect(kept).toBeLessThanOrEqual(16)
  expect(taken.at(-2)).toBe('stream')
  expect(dropped.reduce((sum, bytes) => sum + bytes, 0)).toBe((40 - kept) * mebibyte)
  expect(droppedMessages.reduce((sum, count) => sum + count, 0)).toBe(40 - kept)
})

test('takes nothing after it was closed', async () => {
  const { backlog, taken, release } = held()
  backlog.push(message('a'))
  backlog.push(message('b'))
  backlog.close()
  backlog.push(message('c'))
  await release()
  expect(taken).toEqual(['a'])
})

test('keeps one message of any size', async () => {
  const { backlog, taken, dropped, release } = held()
  backlog.push(message('display_data', 60 * mebibyte))
  backlog.push(message('display_data', 60 * mebibyte))
  await release()
  expect(taken).toEqual(['display_data', 'display_data'])
  expect(dropped).toEqual([])
})
