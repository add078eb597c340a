import { describe, expect, it } from 'vitest'
import { visible } from './visible.ts'

describe('a text for a person', () => {
  it.each([
    ['a zero width space', 'a\u200Bb', 'a<U+200B>b'],
    ['a joiner in a name', 'a\u200Db', 'a<U+200D>b'],
    ['a soft hyphen', 'a\u00ADb', 'a<U+00AD>b'],
    ['Hangul fillers', 'a\u3164\u115F\u1160\uFFA0', 'a<U+3164><U+115F><U+1160><U+FFA0>'],
    ['other line breaks', 'a\u2028b\u2029c', 'a<U+2028>b<U+2029>c'],
    ['marks of a direction', 'a\u200F\u061Cb', 'a<U+200F><U+061C>b'],
    ['a byte order mark', '\uFEFFa', '<U+FEFF>a'],
    ['a vowel separator', 'a\u180Eb', 'a<U+180E>b'],
    ['tags', 'a\u{E0041}\u{E007F}', 'a<U+E0041><U+E007F>'],
    ['selectors behind no emoji', 'a\uFE0F\u{E0100}', 'a<U+FE0F><U+E0100>'],
    ['an empty Braille pattern', 'a\u2800b', 'a<U+2800>b'],
    ['a turn of the direction', 'a\u202Eb', 'a\uFFFDb'],
    ['an escape', 'a\u001B[2J', 'a\u241B[2J'],
  ])('shows %s', (_, text, shown) => {
    expect(visible(text)).toBe(shown)
    expect(visible(shown)).toBe(shown)
  })

  it.each(['tab\tand\nbreaks\n', 'é 日本 한국어 العربية हिन्दी', '😀 ❤️ 👩🏽‍🚀 👨‍👩‍👧 🏳️‍🌈'])(
    'leaves %j as it is',
    (text) => {
      expect(visible(text)).toBe(text)
    },
  )
})
