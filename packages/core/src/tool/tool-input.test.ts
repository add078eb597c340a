import { describe, expect, it } from 'vitest'
import { z } from '../zod.ts'
import { programInput } from './tool-input.ts'

const schema = programInput('A whole program.')
const fence = '```'

describe('a program in the input of a tool', () => {
  it('loses a fence around all of it', ({ everyRow }) =>
    everyRow(
      [
        ['with a label', `${fence}python\nprint(1)\n${fence}`],
        ['without a label', `${fence}\nprint(1)\n${fence}`],
        ['with empty lines around it', `\n\n${fence}py\nprint(1)\n${fence}\n\n`],
        ['of tildes', '~~~~python\nprint(1)\n~~~~'],
        ['with line breaks of Windows', `${fence}python\r\nprint(1)\r\n${fence}\r\n`],
        ['in another fence', `${fence}${fence}\n${fence}python\nprint(1)\n${fence}\n${fence}${fence}`],
      ],
      (_, text: string) => {
        expect(schema.parse(text).trim()).toBe('print(1)')
        expect(schema.parse(schema.parse(text))).toBe(schema.parse(text))
      },
    ))

  it('is unchanged otherwise', ({ everyRow }) =>
    everyRow(
      [
        ['no fence', 'print(1)\n'],
        ['a fence without an end', `${fence}python\nprint(1)`],
        ['text before the fence', `Here:\n${fence}python\nprint(1)\n${fence}`],
        ['two blocks', `${fence}python\nprint(1)\n${fence}\n${fence}python\nprint(2)\n${fence}`],
        ['a fence in a string', `text = """\n${fence}python\nprint(1)\n${fence}\n"""`],
        ['nothing', ''],
      ],
      (_, text: string) => {
        expect(schema.parse(text)).toBe(text)
      },
    ))

  it('keeps a fence inside of it', () => {
    const code = `text = """\n${fence}\n"""\nprint(text)`
    expect(schema.parse(`${fence}python\n${code}\n${fence}`).trim()).toBe(code)
  })

  it('is a string for a model', () => {
    expect(z.toJSONSchema(schema, { io: 'input' })).toMatchObject({
      type: 'string',
      description: 'A whole program.',
    })
  })
})
