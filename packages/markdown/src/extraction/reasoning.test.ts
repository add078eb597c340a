import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CodeBlock } from '../code-block.ts'
import { CodeBlockScanner } from './code-block-scanner.ts'
import { extractCodeBlocks } from './extract-code-blocks.ts'

const draft = '```sh\ndraft\n```'
const answer = '```sh\nanswer\n```'

/** Lines of random documents. */
const parts = [
  '<think>',
  '</think>',
  'a </think>',
  '(eg. <think></think>)',
  '`</think>`',
  'Write\n<think> tags',
  '◁think▷',
  '◁/think▷',
  '[THINK]',
  '[/THINK]',
  '<|channel|>analysis<|message|>',
  '<|end|><|start|>assistant<|channel|>final<|message|>',
  draft,
  answer,
  '```py',
  '```json\n{}\n```<end>',
  '```markdown',
  '\u200B```sh\nhidden\n```\u00A0',
  'x',
  '"""',
  '- <think>',
  '- ```sh\n  item\n  ```',
  '> ```sh\n> quote\n> ```',
  '```',
  '<!--',
  '',
]

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
        ['opened twice, closed once', `<think>\n<think>\n${draft}\n</think>\n${answer}`],
        ['in a quote', `> <think>\n> ${draft.replaceAll('\n', '\n> ')}\n> </think>\n\n${answer}`],
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
  ])('nothing is returned of %s', (_, markdown) => {
    expect(codes(markdown)).toEqual([])
  })
})

describe('a draft above a closing tag without an opening tag', () => {
  const rows: readonly (readonly [what: string, markdown: string])[] = [
    ['on its own line', `I could\n${draft}\n</think>\n\n${answer}`],
    ['behind a word', `I could\n${draft}\nNo.</think>\n${answer}`],
    ['between words', `I could\n${draft}\nNo.</think>Better:\n${answer}`],
    ['at the end of a line', `I could\n${draft}\nNo. </think>\n${answer}`],
    ['of Kimi', `${draft}\n◁/think▷${answer}`],
    ['of Mistral', `${draft}\n[/THINK]\n${answer}`],
    ['of gpt-oss', `${draft}\n<|end|><|start|>assistant<|channel|>final<|message|>\n${answer}`],
  ]

  test('is left out where the text starts in reasoning', ({ everyRow }) =>
    everyRow(rows, (_, markdown) => {
      const blocks = extractCodeBlocks(markdown, { startsInReasoning: true })
      expect(blocks.map(({ code }) => code)).toEqual(['answer'])
    }))

  test('is a block otherwise: no later line removes it', ({ everyRow }) =>
    everyRow(rows, (_, markdown) => {
      expect(codes(markdown)).toEqual(['draft', 'answer'])
    }))

  test('does not shift the numbers of lines', () => {
    const markdown = `${draft}\n</think>\n${answer}`
    expect(extractCodeBlocks(markdown, { startsInReasoning: true })[0]?.line).toBe(5)
  })
})

test('reasoning in the markers of other models is left out', ({ everyRow }) =>
  everyRow<[who: string, markdown: string]>(
    [
      ['Kimi', `◁think▷Hm.\n${draft}\n◁/think▷${answer}`],
      ['Mistral', `[THINK]Hm.\n${draft}\n[/THINK]\n${answer}`],
      [
        'gpt-oss',
        `<|channel|>analysis<|message|>Hm.\n${draft}\n<|end|><|start|>assistant<|channel|>final<|message|>So:\n${answer}`,
      ],
      [
        'gpt-oss, on separate lines',
        `<|start|>assistant<|channel|>analysis<|message|>Hm.\n${draft}\n<|end|>\n<|start|>assistant<|channel|>final<|message|>\n${answer}\n<|return|>`,
      ],
      [
        'gpt-oss, with a draft that is not closed',
        `<|channel|>analysis<|message|>\n\`\`\`sh\ndraft\n<|end|>\n${answer}`,
      ],
      ['Kimi, with a tag in a sentence', `◁think▷\nNo </think> here.\n${draft}\n◁/think▷\n${answer}`],
    ],
    (_, markdown) => {
      expect(codes(markdown)).toEqual(['answer'])
    },
  ))

describe('a tag that is only mentioned changes nothing', () => {
  test('behind a program', ({ everyRow }) =>
    everyRow<[where: string, text: string]>(
      [
        ['in parentheses', '(eg. <think></think>)'],
        ['in a sentence', 'Models write <think>x</think> first.'],
        ['at the end of a line', 'They end with <think>x</think>'],
        ['in a table', '| tags | <think>x</think> |'],
        ['in a heading', '# The <think>x</think>'],
        ['escaped', '\\<think>x\\</think>'],
        ['as an entity', '&lt;think>x</think>'],
        ['behind a backtick that is never closed', 'a ` and <think>x</think>'],
        ['on two lines', 'Write <think> first\n</think> then'],
        ['as an English word', '<p>second thought</thought></p>'],
        ['alone', 'ends with </think>'],
      ],
      (_, text) => {
        expect(codes(`${answer}\n\n${text}\n\n${answer}`)).toEqual(['answer', 'answer'])
      },
    ))

  test('in reasoning', () => {
    expect(codes(`<think>\nWrite <think>x</think> there.\n${draft}\n</think>\n${answer}`)).toEqual(['answer'])
  })

  test('where the sentence of the line above continues behind it', () => {
    expect(codes(`Models write reasoning in\n<think> tags:\n\n${answer}`)).toEqual(['answer'])
    expect(codes(`Sure!\n<think> Well\n\n${draft}\n</think>\n${answer}`)).toEqual(['answer'])
  })

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

  test('the blocks are those of the whole text, in any document', () => {
    const property = fc.property(fc.array(fc.constantFrom(...parts), { maxLength: 14 }), (lines) => {
      const text = lines.join('\n')
      expect(scan([...text])).toEqual(extractCodeBlocks(text))
    })
    fc.assert(property, { numRuns: 2000 })
  })

  test('where the text is cut makes no difference', () => {
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

function scan(chunks: readonly string[]): CodeBlock[] {
  const scanner = new CodeBlockScanner()
  return [...chunks.flatMap((chunk) => scanner.push(chunk)), ...scanner.end()]
}
