import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { repairJsonControlCharacters } from './tool-calls.ts'

describe('raw control characters', () => {
  it.each([
    ['{"code": "a\nb"}', { code: 'a\nb' }],
    ['{"code": "a\r\n\tb"}', { code: 'a\r\n\tb' }],
    ['{"code": "say \\"a\nb\\""}', { code: 'say "a\nb"' }],
    ['{"code": "\\\\"\n,"b": "\n"}', { code: '\\', b: '\n' }],
    ['{"code": "a\\\nb"}', { code: 'a\nb' }],
    ['{"bell": "\u0007\u0000"}', { bell: '\u0007\0' }],
    ['{\n\t"a": 1\n}', { a: 1 }],
  ])('in %j are escaped inside of strings only', (json, value) => {
    expect(JSON.parse(repairJsonControlCharacters(json))).toEqual(value)
  })

  it('of valid JSON are left alone', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(3), (json, indent) => {
        const text = JSON.stringify(JSON.parse(json), undefined, indent)
        expect(repairJsonControlCharacters(text)).toBe(text)
      }),
    )
  })

  it('of any string are its own again after parsing', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const raw = JSON.stringify(text)
          .replaceAll('\\\\', '\\u005c')
          .replaceAll('\\n', '\n')
          .replaceAll('\\t', '\t')
        expect(JSON.parse(repairJsonControlCharacters(raw))).toBe(text)
      }),
    )
  })
})
