import { describe, expect, test } from 'vitest'
import { type KernelMessage, newRequest } from './message.ts'
import { fromSignedFrames, toSignedFrames } from './signed-frames.ts'

const key = 'a key'
const message = newRequest('session', {
  channel: 'shell',
  type: 'execute_request',
  content: { code: 'print("ä\u2028😀")', silent: false },
})

/** As they arrive. */
function framesOf(sent: KernelMessage): Buffer[] {
  return toSignedFrames(sent, key).map((frame) => Buffer.from(frame))
}

describe('frames of a ZeroMQ message', () => {
  test('are read as they were written, whatever stands before and behind them', () => {
    const frames = framesOf(message)
    expect(fromSignedFrames(frames, { channel: 'shell', key })).toEqual(message)
    const routed = [Buffer.from('client'), Buffer.from('<IDS|'), ...frames, Buffer.from('a buffer')]
    expect(fromSignedFrames(routed, { channel: 'shell', key })).toEqual(message)
  })

  test('are read as they were written when they are long', () => {
    const long = { ...message, content: { code: 'print("ä😀")\n'.repeat(2 ** 15) } }
    expect(fromSignedFrames(framesOf(long), { channel: 'shell', key })).toEqual(long)
  })

  test('have the signature that the protocol asks for', () => {
    // python3 -c 'import hmac; h = hmac.new(b"a key", digestmod="sha256"); [h.update(b"{}") for _ in range(4)]; print(h.hexdigest())'
    const signature = 'e2c27855d41353957c8555d30463a97e6a6ea497e6ebb3f7824503c3b64f2c0b'
    const empty = { channel: 'shell', header: {}, parent: {}, metadata: {}, content: {} } as never
    expect(toSignedFrames(empty, key)[1]?.toString()).toBe(signature)
  })

  test('that are signed with another key, changed, cut off or no message are not read', () => {
    const frames = framesOf(message)
    expect(fromSignedFrames(frames, { channel: 'shell', key: 'other' })).toBeUndefined()
    for (const index of frames.keys()) {
      const changed = frames.with(index, Buffer.from('{"x":1}'))
      expect(fromSignedFrames(changed, { channel: 'shell', key })).toBeUndefined()
      expect(fromSignedFrames(frames.slice(0, index), { channel: 'shell', key })).toBeUndefined()
    }
  })

  test('that are signed and no JSON objects are not read', () => {
    for (const content of [[], 'text', null, Number.NaN]) {
      const frames = framesOf({ ...message, content } as never)
      expect(fromSignedFrames(frames, { channel: 'shell', key })).toBeUndefined()
    }
  })
})
