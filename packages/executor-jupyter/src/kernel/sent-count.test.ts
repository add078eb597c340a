import { expect, test } from 'vitest'
import { newRequest } from '../protocol/message.ts'
import { SentCount } from './sent-count.ts'
import { markType, sentName } from './setup-code.ts'

const message = (type: string, content = {}, metadata = {}) => ({
  ...newRequest('session', { channel: 'shell', type, content }),
  metadata,
})
const status = (sent: number) => message('status', {}, { [sentName]: sent })
const begin = message(markType, { sent: [0, 0] })

test('messages before a status that did not arrive are missing, once', () => {
  const count = new SentCount()
  count.take(message('stream'))
  count.take(begin)
  count.take(message('stream'))
  expect(count.take(status(1))).toBe(0)
  expect(count.take(status(5))).toBe(3)
  expect(count.take(status(6))).toBe(0)
  count.add(2)
  expect(count.take(status(9))).toBe(0)
})

test('a message that arrives before a status without being in its count is not missing later', () => {
  const count = new SentCount()
  count.take(begin)
  count.take(message('stream'))
  expect(count.take(status(0))).toBe(0)
  expect(count.take(status(2))).toBe(0)
})

test('nothing is missing where a kernel does not count, or after the comparison was stopped', () => {
  const count = new SentCount()
  expect(count.take(status(7))).toBe(0)
  count.take(begin)
  count.stop()
  expect(count.take(status(7))).toBe(0)
})
