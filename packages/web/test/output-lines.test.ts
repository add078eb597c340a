import { expect, it } from 'vitest'
import { OutputLines } from '../page/src/output-lines.ts'

function linesOf(...pieces: readonly (string | readonly ['stderr', string])[]): OutputLines {
  const output = new OutputLines()
  for (const piece of pieces) {
    if (typeof piece === 'string') output.append(piece, false)
    else output.append(piece[1], true)
  }
  return output
}

const texts = ({ lines }: OutputLines) => lines.map(({ text }) => text)

it.each([
  ['pieces that end within a line', ['on', 'e\ntw', 'o\n'], ['one', 'two']],
  ['a line without an end', ['one\ntwo'], ['one', 'two']],
  ['a line that is written over', ['10 %\r50 %\r', '100 %\ndone\n'], ['100 %', 'done']],
  ['ends of lines as Windows has them', ['one\r\ntwo\r\n'], ['one', 'two']],
  ['empty lines', ['\n\none\n'], ['', '', 'one']],
])('shows %s as a terminal does', (_, pieces, expected) => {
  expect(texts(linesOf(...pieces))).toEqual(expected)
})

it('keeps what goes to standard error in lines of its own', () => {
  const { lines } = linesOf('half', ['stderr', 'wrong\n'], ' a line\n')
  expect(lines.map(({ text, isError }) => [text, isError])).toEqual([
    ['half', false],
    ['wrong', true],
    [' a line', false],
  ])
})

it('continues a color in the next line until it is reset', () => {
  const { lines } = linesOf('\u001B[31mred\nstill\u001B[0m\nplain\n')
  expect(lines.map(({ colors }) => colors)).toEqual(['', '\u001B[31m', ''])
})

it('keeps the last 100,000 lines, and counts the others', () => {
  const output = linesOf(`${'x\n'.repeat(100_010)}last`)
  expect([output.lines.length, output.left, output.lines.at(-1)?.text]).toEqual([100_000, 11, 'last'])
  output.clear()
  expect([output.lines.length, output.left]).toEqual([0, 0])
})
