import fc from 'fast-check'
import { expect, test } from 'vitest'
import { streamContent } from './stream-content.ts'

function read(json: string | Buffer) {
  const content = streamContent(Buffer.from(json))
  return content && { ...content, text: Buffer.from(content.text).toString() }
}

test.each(['{"name": "stdout", "text": "a\\n"}', '{"name":"stdout","text":"a\\n"}'])('reads %s', (json) => {
  expect(read(json)).toEqual({ name: 'stdout', text: 'a\n' })
})

test('reads every text as a JSON parser does', () => {
  const anyText = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary-ascii' }))
  fc.assert(
    fc.property(anyText, fc.constantFrom('stdout', 'stderr'), (text, name) => {
      expect(read(JSON.stringify({ name, text }))).toEqual({ name, text })
    }),
  )
})

test('reads a text of any length, and one of no length', () => {
  for (const length of [0, 1, 2 ** 16, 2 ** 20]) {
    const text = 'ä"\\'.repeat(length)
    expect(read(JSON.stringify({ name: 'stderr', text }))?.text === text).toBe(true)
  }
})

test('leaves any other content to a JSON parser', ({ everyRow }) =>
  everyRow(
    [
      '',
      '{}',
      '{"name": "stdout"}',
      '{"name": "stdout", "text": "',
      '{"name": "stdout", "text": "}',
      '{"name": "stdout", "text": "a\\"}',
      '{"name": "stdout", "text": "a", "more": "b"}',
      '{"name": "stdout", "text": 7}',
      '{"name": "other", "text": "a"}',
      '{"text": "a", "name": "stdout"}',
      '{"name": "stdout", "text": "\\x"}',
      '{"name": "stdout", "text": "\\u00"}',
      '{"name": "stdout", "text": "\\u00e4"}',
      '{"name": "stdout", "text": "\\ud83d\\ude00"}',
      Buffer.from('{"name": "stdout", "text": "\xff"}', 'latin1'),
    ],
    (json) => {
      expect(read(json)).toBeUndefined()
    },
  ))
