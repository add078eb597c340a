import { describe, expect, test } from 'vitest'
import { extractCodeBlocks } from './extract-code-blocks.ts'
import { upstreamGrammars } from './upstream-grammars.fixture.ts'

const openingTags = [
  '<answer>',
  '<code>',
  '<execute>',
  '<solution language="python" id=1>',
  '</think>',
  '<details>',
  '<br>',
  '<br/>',
  '<p>',
  '<Answer>',
  '<my_tool-call>',
  '<summary>Code</summary>',
]

const program = '```python\nprint(1)\n```'
const documents = [
  ...openingTags.map((tag) => `${tag}\n${program}`),
  ...openingTags
    .filter((tag) => !tag.startsWith('</'))
    .map((tag) => `Here it is:\n\n${tag}\n${program}\n${tag.replace(/^<\/?/, '</')}\n\nDone.`),
  `<answer>\n${program}\n</answer>\n<answer>\n\`\`\`sh\nls\n\`\`\`\n</answer>`,
  `<details>\n<summary>\nThe code\n</summary>\n${program}\n</details>`,
  `<answer>\ntext\n${program}\ntext\n${program}\n</answer>`,
]

describe.each(Object.entries(upstreamGrammars))(
  'what the grammar of %s finds behind a tag is found',
  (_, grammar) => {
    test('in each document', ({ everyRow }) =>
      everyRow(documents, (markdown) => {
        const theirs = [...markdown.matchAll(grammar)].map(({ groups }) => [
          groups?.language,
          groups?.code?.replace(/\n$/, ''),
        ])
        expect(theirs).not.toEqual([])
        expect(extractCodeBlocks(markdown).map(({ language, code }) => [language, code])).toEqual(theirs)
      }))
  },
)
