import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bytesOfOutput, joinedOutput, outputEvent } from './exact-output.ts'

test('an event has the bytes of the output, also where they are not UTF-8 and events are joined', () => {
  const chunk = fc.oneof(
    fc.uint8Array({ maxLength: 8 }),
    fc.string({ unit: 'grapheme' }).map((text) => new TextEncoder().encode(text)),
  )
  fc.assert(
    fc.property(fc.array(chunk, { minLength: 1, maxLength: 5 }), (chunks) => {
      const events = chunks.map((bytes) => outputEvent('stdout', 0, Buffer.from(bytes)))
      const joined = events.reduce(joinedOutput)
      expect(Buffer.from(bytesOfOutput(joined))).toEqual(Buffer.concat(chunks))
      expect(Object.keys(joined)).toEqual(['type', 'index', 'text'])
    }),
  )
})

test('an event keeps its bytes when the memory of the chunk is used again', () => {
  const memory = Buffer.of(0xff, 0x41)
  const event = outputEvent('stdout', 0, memory)
  memory.fill(0)
  expect([...bytesOfOutput(event)]).toEqual([0xff, 0x41])
})
