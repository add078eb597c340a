import fc from 'fast-check'
import { expect, test } from 'vitest'
import { OutputTail } from './output-tail.ts'

function tailOf(...chunks: string[]) {
  const tail = new OutputTail(4)
  for (const chunk of chunks) tail.add(chunk)
  return tail
}

test('all that fits is there', () => {
  expect(tailOf().text).toBe('')
  expect(tailOf('ab', 'cd').text).toBe('abcd')
})

test('of more it is the end, and how much came before', () => {
  expect(tailOf('abcdef').text).toBe('[... 2 characters before this ...]\ncdef')
  expect(tailOf('ab', 'cdefgh', 'ij', 'klmn').text).toBe('[... 10 characters before this ...]\nklmn')
})

test('a block’s part can be forgotten, and what came before it not', () => {
  const tail = tailOf('ab')
  tail.startBlock()
  tail.add('cdefghijklmnop')
  tail.clear()
  expect(tail.text).toBe('ab')
  tail.add('c')
  expect(tail.text).toBe('abc')
})

test('a line begins on a line of its own', () => {
  const tail = tailOf('a')
  tail.addLine('b')
  expect(tail.text).toBe('a\nb\n')
})

test('it says the same however the text is cut, over any blocks', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 9 })), (texts) => {
      const [whole, inBlocks] = [new OutputTail(4), new OutputTail(4)]
      whole.add(texts.join(''))
      for (const text of texts) {
        inBlocks.startBlock()
        for (const character of text) inBlocks.add(character)
      }
      expect(inBlocks.text).toBe(whole.text)
    }),
  )
})
