import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { MaskStream, masked } from './mask-stream.ts'
import { secretForms } from './secret-forms.ts'

async function through(chunks: readonly string[], texts: readonly string[]): Promise<string> {
  const stream = new MaskStream(texts)
  for (const chunk of chunks) stream.write(Buffer.from(chunk, 'latin1'))
  stream.end()
  return (await buffer(stream)).toString('latin1')
}

it('masks the same however what comes is cut, and keeps its length', async () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'B', 'b', '\xe9', '*'), maxLength: 12 })
  const secret = fc.string({ unit: fc.constantFrom('a', 'b', 'B'), minLength: 1, maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(
      fc.array(letters),
      fc.array(secret, { minLength: 1, maxLength: 3 }),
      async (chunks, texts) => {
        const whole = chunks.join('')
        const output = await through(chunks, texts)
        expect(output).toBe(masked(whole, texts))
        expect(output).toHaveLength(whole.length)
        for (const text of texts) expect(output.toLowerCase()).not.toContain(text.toLowerCase())
      },
    ),
  )
})

it('holds nothing back that cannot be a secret: an event is passed on when it comes', async () => {
  const stream = new MaskStream(['secret-value'])
  stream.write('data: one\n\n')
  expect(stream.read()?.toString()).toBe('data: one\n\n')
  stream.write('data: sec')
  expect(stream.read()?.toString()).toBe('data: ')
  stream.write('ond\n\n')
  expect(stream.read()?.toString()).toBe('second\n\n')
})

it.each([0, 1, 2, 3, 4, 5])('finds a secret in base64 behind %s other bytes', (before) => {
  const value = 'tok_0123456789/+abcdef'
  const coded = Buffer.from(`${'x'.repeat(before)}${value}yz`).toString('base64')
  const left = masked(coded, secretForms(value)).replaceAll('*', '')
  // What shares a character with other bytes, and those.
  expect(left.length).toBeLessThanOrEqual(Math.ceil((before * 4) / 3) + 6)
})
