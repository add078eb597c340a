import { expect, it } from 'vitest'
import { documentText, fenced } from './document-blocks.ts'

const notebook = (cells: readonly object[], metadata?: object) => JSON.stringify({ cells, metadata })

const print = { cell_type: 'code', source: ['print(1)\n', 'print(2)\n'] }

it('a notebook is Markdown with a block for each code cell', () => {
  const cells = [{ cell_type: 'markdown', source: '# Title' }, print, { cell_type: 'code', source: ' \n' }]
  expect(documentText('a.ipynb', notebook(cells))).toBe('# Title\n\n```python\nprint(1)\nprint(2)\n```')
})

it('the language is that of the notebook, or of its kernel', ({ everyRow }) =>
  everyRow(
    [
      [{ language_info: { name: 'julia' }, kernelspec: { language: 'python' } }, 'julia'],
      [{ kernelspec: { language: 'R' } }, 'R'],
      [{ kernelspec: {} }, 'python'],
      [{}, 'python'],
    ],
    (metadata, language) => {
      expect(documentText('A.IPYNB', notebook([print], metadata))).toContain(`\`\`\`${language}\n`)
    },
  ))

it('a fence is longer than each one in the code', () => {
  expect(fenced('md', '```sh\nls\n```\n')).toBe('````md\n```sh\nls\n```\n````')
  expect(fenced('sh', 'echo `id`')).toBe('```sh\necho `id`\n```')
})

it('a notebook of another format is refused, and Markdown is not read as one', () => {
  for (const content of ['{', '{"worksheets": []}', notebook([{ cell_type: 'code', source: 1 }])]) {
    expect(() => documentText('a.ipynb', content)).toThrow(expect.objectContaining({ status: 422 }))
    expect(documentText('a.md', content)).toBe(content)
  }
})
