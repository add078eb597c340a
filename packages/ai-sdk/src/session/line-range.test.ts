import { describe, expect, it } from 'vitest'
import { LineSelection } from './line-range.ts'

/** The same, of a text as a whole. */
function linesOf(text: string, startLine: number, endLine: number | undefined): string {
  const lines = text.split(/(?<=\r\n|\n|\r(?!\n))/)
  const part = lines.slice(startLine - 1, endLine).join('')
  return endLine !== undefined && endLine <= lines.length ? part.replace(/(\r\n|\n|\r)$/, '') : part
}

/** All texts of these characters up to a length. */
function textsUpTo(length: number): string[] {
  const shorter = length === 0 ? [] : textsUpTo(length - 1)
  return ['', ...shorter.flatMap((text) => ['a', '\r', '\n'].map((character) => character + text))]
}

describe('lines of a text that arrives in pieces', () => {
  it('are those of the whole text, wherever it is cut', () => {
    const texts = new Set(textsUpTo(5))
    expect(texts.size).toBe(364)
    for (const text of texts) {
      for (const startLine of [1, 2, 3]) {
        for (const endLine of [1, 2, 3, undefined]) {
          const whole = linesOf(text, startLine, endLine)
          for (let cut = 0; cut <= text.length; cut++) {
            const selection = new LineSelection({ startLine, endLine })
            selection.push(text.slice(0, cut))
            selection.push(text.slice(cut))
            expect(selection.end(''), JSON.stringify({ text, startLine, endLine, cut })).toBe(whole)
          }
        }
      }
    }
  })

  it('keep nothing else, and need nothing behind them', () => {
    const selection = new LineSelection({ startLine: 2, endLine: 3 })
    selection.push('a'.repeat(100_000))
    expect([selection.length, selection.isComplete]).toEqual([0, false])
    selection.push('\nb\nc\n')
    expect([selection.length, selection.isComplete]).toEqual([3, true])
    selection.push('d'.repeat(100_000))
    expect(selection.end('')).toBe('b\nc')
  })
})
