import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CodeBlock } from '../code-block.ts'
import { CodeBlockScanner, extractCodeBlocks } from './extract-code-blocks.ts'

const draft = '```sh\ndraft\n```'
const answer = '```sh\nanswer\n```'

function codes(markdown: string): string[] {
  return extractCodeBlocks(markdown).map(({ code }) => code)
}

describe('a draft is not returned, and the answer is', () => {
  test('for each tag, wherever it stands', ({ everyRow }) =>
    everyRow<[what: string, markdown: string]>(
      [
        ['think', `<think>\n${draft}\n</think>\n${answer}`],
        ['thinking', `<thinking>\n\n${draft}\n\n</thinking>\n\n${answer}`],
        ['thought', `<thought>\n${draft}\n</thought>\n${answer}`],
        ['in capitals', `<THINK>\n${draft}\n</Think>\n${answer}`],
        ['with attributes', `<think budget="1" type=deep>\n${draft}\n</think >\n${answer}`],
        ['not at the beginning', `Well.\n\n<think>\n${draft}\n</think>\n\n${answer}`],
        ['directly behind the tag', `<think>${draft}\n</think>${answer}`],
        ['several times', `<think>\n${draft}\n</think>\n<think>\n${draft}\n</think>\n${answer}`],
        ['twice in a line', `<think>a</think> <think>\n${draft}\n</think>\n${answer}`],
        ['in one line', `<think> I see </think> Here:\n${answer}`],
        ['nested', `<think>\n<think>\n${draft}\n</think>\n${draft}\n</think>\n${answer}`],
        ['opened twice, closed once', `<think>\n<think>\n${draft}\n</think>\n${answer}`],
        ['in a quote', `> <think>\n> ${draft.replaceAll('\n', '\n> ')}\n> </think>\n\n${answer}`],
        ['without an opening tag', `I could\n${draft}\n</think>\n\n${answer}`],
        ['without an opening tag, behind a word', `I could\n${draft}\nNo.</think>\n${answer}`],
        ['without an opening tag, between words', `I could\n${draft}\nNo.</think>Better:\n${answer}`],
        ['without an opening tag, at the end of a line', `I could\n${draft}\nNo. </think>\n${answer}`],
        ['the last tag counts', `${draft}\n</think>\n${draft}\n</think>\n${answer}`],
        ['a draft that is not closed', `<think>\n\`\`\`py\ndraft\n</think>\n${answer}`],
        ['a draft that is not closed, in an item', `<think>\n- \`\`\`py\n  draft\n</think>\n${answer}`],
        ['a comment that is not closed', `<think>\n<!--\n${draft}\n</think>\n${answer}`],
        [
          'a draft with both tags in it',
          `<think>\n\`\`\`\n<think>\nx\n</think>\n\`\`\`\n${draft}\n</think>\n${answer}`,
        ],
        ['a draft that prints the tag', `<think>\n\`\`\`py\nprint("</think>")\n\`\`\`\n</think>\n${answer}`],
        ['a mention in the reasoning', `<think>\nWrite \`</think>\` then.\n${draft}\n</think>\n${answer}`],
      ],
      (_, markdown) => {
        expect(codes(markdown)).toEqual(['answer'])
      },
    ))

  test.each<[what: string, markdown: string]>([
    ['reasoning that was cut off', `<think>\n${draft}\n`],
    ['reasoning that was cut off in a draft', '<think>\n```sh\ndraft'],
    ['reasoning without an answer', `${draft}\n</think>`],
  ])('nothing is returned of %s', (_, markdown) => {
    expect(codes(markdown)).toEqual([])
  })
})

describe('a tag that is only mentioned changes nothing', () => {
  test('in prose or code', ({ everyRow }) =>
    everyRow<[what: string, markdown: string]>(
      [
        ['in a sentence', `The <think> tag.\n${answer}\nThe </think> tag.`],
        ['in inline code', `\`<think>\` and \`</think>\`\n${answer}\nends with \`</think>\``],
        ['in inline code with two backticks', `${answer}\n\`\` \` </think> \`\` and so on`],
        ['in quotes', `${answer}\nIt writes "</think>" then.`],
        ['in a comment', `<!--\n<think>\n-->\n${answer}\n<!--\n</think>\n-->`],
        ['in indented code', `    <think>\n\n${answer}\n\n    </think>`],
        ['empty', `<think/>\n<think />\n${answer}`],
        ['another tag', `<thinker>\n${answer}\n</thinker>`],
      ],
      (_, markdown) => {
        expect(codes(markdown)).toEqual(['answer'])
      },
    ))

  test('in a fence', () => {
    const code = '<think>\nx\n</think>'
    expect(codes(`${answer}\n\`\`\`xml\n${code}\n\`\`\`\n${answer}`)).toEqual(['answer', code, 'answer'])
    expect(codes(`${answer}\n\`\`\`py\nx = """\n</think>\n"""\n\`\`\``)).toHaveLength(2)
  })
})

test('the tags can be other ones, and none', () => {
  const markdown = `<plan>\n${draft}\n</plan>\n<think>\n${answer}\n</think>`
  expect(extractCodeBlocks(markdown, { reasoningTags: ['Plan'] }).map(({ code }) => code)).toEqual(['answer'])
  expect(extractCodeBlocks(markdown, { reasoningTags: [] })).toHaveLength(2)
})

test('line numbers stay', () => {
  expect(extractCodeBlocks(`<think>\n${draft}\n</think>${answer}`)[0]?.line).toBe(5)
})

describe('while the text is streaming', () => {
  test('no draft comes from between the tags', () => {
    const scanner = new CodeBlockScanner()
    expect(scanner.push(`<think>\n${draft}\n`)).toEqual([])
    expect(scanner.push(`</think>\n${answer}\n`)).toMatchObject([{ code: 'answer' }])
  })

  test('a draft has come when only the closing tag is there, and the line says so', () => {
    const scanner = new CodeBlockScanner()
    expect(scanner.push(`${draft}\n`)).toMatchObject([{ code: 'draft', line: 1 }])
    expect(scanner.reasoningEnd).toBe(0)
    expect(scanner.push(`</think>\n${answer}\n`)).toMatchObject([{ code: 'answer', line: 5 }])
    expect(scanner.reasoningEnd).toBe(4)
  })

  test('where the text is cut makes no difference', () => {
    const parts = [
      '<think>',
      '</think>',
      'a </think>',
      '`</think>`',
      draft,
      answer,
      '```py',
      'x',
      '"""',
      '- <think>',
      '```',
      '<!--',
      '',
    ]
    const property = fc.property(
      fc.array(fc.constantFrom(...parts), { maxLength: 12 }),
      fc.nat(),
      (lines, at) => {
        const text = lines.join('\n')
        const cut = text.length === 0 ? 0 : at % text.length
        expect(scan([text.slice(0, cut), text.slice(cut)])).toEqual(scan([text]))
        expect(scan([...text])).toEqual(scan([text]))
      },
    )
    fc.assert(property, { numRuns: 500 })
  })
})

function scan(chunks: readonly string[]): { blocks: CodeBlock[]; reasoningEnd: number } {
  const scanner = new CodeBlockScanner()
  const blocks = [...chunks.flatMap((chunk) => scanner.push(chunk)), ...scanner.end()]
  return { blocks, reasoningEnd: scanner.reasoningEnd }
}
