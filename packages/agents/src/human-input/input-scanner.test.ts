import { describe, expect, it } from 'vitest'
import { InputScanner, type InputToken } from './input-scanner.ts'

const keys = (text: string): InputToken => ({ kind: 'keys', text })
const pasted = (text: string): InputToken => ({ kind: 'pasted', text })
const enter: InputToken = { kind: 'line-break', pasted: false }
const pastedBreak: InputToken = { kind: 'line-break', pasted: true }
const paste = (text: string) => `\x1b[200~${text}\x1b[201~`

describe('what comes from a terminal', () => {
  it.each<[string, string, InputToken[]]>([
    ['text and Enter', 'yes\r', [keys('yes'), enter]],
    ['a key', '\x1b[A', [keys('\x1b[A')]],
    ['Ctrl-C and Ctrl-D', 'a\x03\x04', [keys('a'), { kind: 'interrupt' }, { kind: 'end' }]],
    [
      'line breaks of every kind',
      'a\rb\nc\r\nd',
      [keys('a'), enter, keys('b'), enter, keys('c'), enter, keys('d')],
    ],
    ['a paste', paste('a\r\nb'), [pasted('a'), pastedBreak, pasted('b')]],
    ['a paste between keys', `x${paste('a\n')}\r`, [keys('x'), pasted('a'), pastedBreak, enter]],
    ['control characters in a paste', paste('\x1b[2J\x03\ta\x7f'), [pasted('[2J'), pasted('\ta')]],
    ['an empty paste', paste(''), []],
  ])('%s', (_, text, tokens) => {
    expect(new InputScanner().scan(text)).toEqual(tokens)
  })

  it('is the same wherever chunks end', () => {
    const text = `x${paste('a\r\nb')}\r\n\x1b[A${paste('c')}y`
    const whole = joined(new InputScanner().scan(text))
    for (let index = 1; index < text.length; index++) {
      const scanner = new InputScanner()
      expect(joined([...scanner.scan(text.slice(0, index)), ...scanner.scan(text.slice(index))])).toEqual(
        whole,
      )
    }
    const scanner = new InputScanner()
    expect(joined([...text].flatMap((character) => scanner.scan(character)))).toEqual(whole)
  })

  it('may look like the beginning of a paste, and is a key when nothing follows', () => {
    const scanner = new InputScanner()
    expect(scanner.scan('a\x1b')).toEqual([keys('a')])
    expect(scanner.flush()).toEqual([keys('\x1b')])
    expect(scanner.flush()).toEqual([])
  })

  it('is a paste until its end is told, however long that takes', () => {
    const scanner = new InputScanner()
    expect(scanner.scan('\x1b[200~a\x1b[20')).toEqual([pasted('a')])
    expect(scanner.flush()).toEqual([])
    expect(scanner.scan('1~\r')).toEqual([enter])
  })
})

/** Neighbors of a kind as one. */
function joined(tokens: readonly InputToken[]): InputToken[] {
  const all: InputToken[] = []
  for (const token of tokens) {
    const last = all.at(-1)
    if (last !== undefined && 'text' in last && 'text' in token && last.kind === token.kind) {
      all[all.length - 1] = { kind: token.kind, text: last.text + token.text }
    } else {
      all.push(token)
    }
  }
  return all
}
