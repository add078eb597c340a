import { describe, expect, it } from 'vitest'
import { createMessage } from './message.ts'
import { endsWithTermination, withoutTermination } from './written-text.ts'

const said = (content: string) => createMessage({ role: 'assistant', source: 'a', origin: 'model', content })

describe('a message ends the conversation', () => {
  it('when its last line is the word alone', ({ everyRow }) =>
    everyRow(
      [
        'TERMINATE',
        'TERMINATE\n',
        '  TERMINATE  \n\n',
        'TERMINATE.',
        'TERMINATE!',
        '**TERMINATE**',
        '`TERMINATE`',
        'Everything is done.\nTERMINATE',
        'Everything is done.\r\n\r\n**TERMINATE.**\r\n',
      ],
      (content) => {
        expect(endsWithTermination(content)).toBe(true)
      },
    ))

  it('not otherwise', ({ everyRow }) =>
    everyRow(
      [
        '',
        'terminate',
        'Terminate',
        'Everything is done. TERMINATE',
        'TERMINATED',
        'UNTERMINATE',
        'TERMINATE\nnot yet',
        'I will say TERMINATE when it is done.',
        'TERMINATE TERMINATE',
        '```python\nprint("TERMINATE")\n```',
        '```text\nTERMINATE\n```',
      ],
      (content) => {
        expect(endsWithTermination(content)).toBe(false)
      },
    ))
})

describe('a text without the line that ends the conversation', () => {
  it('keeps all other lines', ({ everyRow }) =>
    everyRow(
      [
        ['TERMINATE', ''],
        ['It is 4.\n\nTERMINATE', 'It is 4.'],
        ['It is 4.\n**TERMINATE**\n', 'It is 4.'],
        ['It is 4. TERMINATE', 'It is 4. TERMINATE'],
        ['TERMINATED', 'TERMINATED'],
        ['TERMINATE\nIt is 4.', 'TERMINATE\nIt is 4.'],
        ['TERMINATE ends it.\nTERMINATE', 'TERMINATE ends it.'],
        ['It is 4.\n', 'It is 4.\n'],
        ['', ''],
      ],
      (content, left) => {
        expect(withoutTermination(said(content))).toBe(left)
      },
    ))
})
