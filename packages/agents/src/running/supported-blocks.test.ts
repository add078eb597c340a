import { expect, test } from 'vitest'
import { blocksIn, programsAmong } from './code-blocks.ts'

const fence = (label: string, code: string) => `\`\`\`${label}\n${code}\n\`\`\``
const program = fence('python', 'print(1)')
const data = fence('json', '# filename: numbers.json\n[1, 2]')
const page = fence('html', '<p>1</p>')

const [lua, r] = [fence('lua', 'print(1)'), fence('r', 'print(1)')]

const languagesOf = (text: string, supportedLanguages?: string[]) =>
  programsAmong(blocksIn(text), {
    supportedLanguages,
    executor: { capabilities: { languages: ['python', 'sh', 'lua', 'R'] } },
  }).blocks.map(({ language }) => language)

test.each([
  ['programs', [program, fence('sh', 'true')], undefined, ['python', 'sh']],
  ['programs in the languages that were chosen', [program, fence('sh', 'true')], ['py'], ['python']],
  ['the documents and data beside them', [data, program, page], ['python'], ['json', 'python', 'html']],
  ['languages that only the executor knows, or that others show as data', [lua, r], undefined, ['lua', 'r']],
  ['no documents and data without them', [data, page, fence('sh', 'true')], ['python'], []],
  [
    'what the executor skips and names, beside a program',
    [fence('rust', 'fn main() {}'), fence('', 'some words'), program],
    undefined,
    ['rust', '', 'python'],
  ],
])('%s', (_, blocks, chosen, expected) => {
  expect(languagesOf(blocks.join('\n\n'), chosen)).toEqual(expected)
})
