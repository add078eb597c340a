import { describe, expect, it } from 'vitest'
import { python } from '../python.ts'
import { runPart } from './parts.ts'

const program = `
class Harm:
    def __repr__(self): raise SystemExit('asked')
    __len__ = __iter__ = __getattribute__ = __sizeof__ = __hash__ = __repr__
class Meta(type):
    def __repr__(self): raise SystemExit('asked')
    __name__ = __module__ = property(__repr__)
class Odd(metaclass=Meta): pass
class Items(list):
    def __iter__(self): raise SystemExit('asked')
harm, odd, items = Harm(), Odd(), Items([1])
kept = [harm, {'key': odd}, (Odd,)]
text, many, deep, large = 'x' * 1000, list(range(1000)), [[[[[1]]]]], 10 ** 5000
_private = 1
`

describe.skipIf(python.missing)('the list of variables', () => {
  it('calls no code of the session, and is bounded', async () => {
    const found: readonly { name: string; type: string; preview: string }[] = JSON.parse(
      await runPart('variables.py', program),
    )
    const previews = found.map(({ name, type, preview }) => [name, type, preview])
    expect(previews).toEqual([
      ['Harm', 'type', '<class Harm>'],
      ['Meta', 'type', '<class Meta>'],
      ['Odd', 'Meta', '<class Odd>'],
      ['Items', 'type', '<class Items>'],
      ['harm', 'Harm', '<Harm>'],
      ['odd', 'Odd', '<Odd>'],
      ['items', 'Items', '<Items>'],
      ['kept', 'list', "[<Harm>, {'key': <Odd>}, (<class Odd>,)]"],
      ['text', 'str', `'${'x'.repeat(118)}…`],
      ['many', 'list', '[0, 1, 2, 3, 4, 5, 6, 7, …]'],
      ['deep', 'list', '[[[[…]]]]'],
      ['large', 'int', '<int of 16610 bits>'],
    ])
  })
})
