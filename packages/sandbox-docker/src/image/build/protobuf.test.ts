import { describe, expect, it } from 'vitest'
import { asText, readFields, textField } from './protobuf.ts'

describe('readFields', () => {
  it('reads what textField writes, also long and numbered high', () => {
    for (const text of ['', 'a', 'é'.repeat(100), 'x'.repeat(20_000)]) {
      const [[field, value] = [], ...others] = [...readFields(textField(300, text))]
      expect([field, asText(value), others]).toEqual([300, text, []])
    }
  })

  it('reads numbers and passes over what it does not know', () => {
    const message = Buffer.from([
      0x08, 0x96, 0x01, 0x11, 1, 2, 3, 4, 5, 6, 7, 8, 0x1d, 1, 2, 3, 4, 0x20, 0x01,
    ])
    expect([...readFields(message)].filter(([, value]) => typeof value === 'number')).toEqual([
      [1, 150],
      [4, 1],
    ])
  })

  it('refuses a message that ends in the middle of a number', () => {
    expect(() => [...readFields(Buffer.from([0x08, 0x96]))]).toThrow(RangeError)
  })
})
