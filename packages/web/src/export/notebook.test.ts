import { describe, expect, it } from 'vitest'
import { withoutCode } from './notebook.ts'

describe('the prose of an answer', () => {
  it.each([
    ['a program', 'Before.\n```python\nprint(1)\n```\nAfter.', 'Before.\nAfter.'],
    ['a program whose closing fence is longer', 'Before.\n~~~sh\nls\n~~~~ \nAfter.', 'Before.\nAfter.'],
    ['shorter and other fences in a program', '````sh\n```\n~~~~\n````\nAfter.', 'After.'],
    ['a label behind a fence in a program', '```sh\n```sh\n```\nAfter.', 'After.'],
    ['two programs', '```\n1\n```\nBetween.\n```\n2\n```', 'Between.'],
    ['nothing else', 'Only prose.', 'Only prose.'],
    ['a fence that nothing closes', 'Before.\n```sh\nls', 'Before.\n```sh\nls'],
  ])('leaves out %s', (_, markdown, prose) => {
    expect(withoutCode(markdown)).toBe(prose)
  })

  it('is found in a flood of fences of other lengths', () => {
    const flood = Array.from({ length: 2_000 }, (_, index) => `${'`'.repeat(3 + index)}sh\n`).reverse()
    const prose = withoutCode(`Before.\n${flood.join('')}`)
    expect(prose.startsWith('Before.\n`')).toBe(true)
    expect(withoutCode('```a\n'.repeat(500_000))).toHaveLength(500_000 * 5 - 1)
  })
})
