import { describe, expect, it } from 'vitest'
import { fence } from '../reply/echo-executor.fixture.ts'
import { blocksIn, programsAmong } from './code-blocks.ts'

const languagesOf = (...fences: string[]) =>
  programsAmong(blocksIn(fences.join('\n\n')), {
    executor: { capabilities: { languages: ['python', 'sh'] } },
    namesOthers: true,
  }).blocks.map(({ language }) => language)

describe('what an executor is given of a message', () => {
  it('is all blocks where one of them is code, and none otherwise', ({ everyRow }) =>
    everyRow<[string, string[], string[]]>(
      [
        ['programs of its languages', [fence('python', 'a'), fence('sh', 'b')], ['python', 'sh']],
        [
          'programs under another name of its languages',
          [fence('py', 'a'), fence('Python3', 'b')],
          ['python', 'python'],
        ],
        [
          'programs of a language that it does not run but others do',
          [fence('javascript', 'a')],
          ['javascript'],
        ],
        ['documents that are saved', [fence('html', '<p>')], ['html']],
        ['data beside a program', [fence('json', '{}'), fence('python', 'a')], ['json', 'python']],
        [
          'a language that nobody knows beside a program, which the executor skips',
          [fence('rust', 'fn'), fence('python', 'a')],
          ['rust', 'python'],
        ],
        ['no data alone', [fence('json', '{}')], []],
        ['no text', [fence('text', 'python app.py')], []],
        ['no diff', [fence('diff', '- a\n+ b')], []],
        ['no Markdown', [fence('markdown', '# Title')], []],
        ['no output', [fence('output', 'Hello')], []],
        [
          'a language that nobody knows, when nothing else is there',
          [fence('rust', 'fn main() {}')],
          ['rust'],
        ],
        ['nothing of a text without blocks', ['no code here'], []],
        ['a program that is cut off, so that its writer learns of it', ['```python\nprint(1)'], ['python']],
        ['no Dockerfile', [fence('dockerfile', 'FROM python')], []],
        ['an unlabeled program', [fence('', 'import os\nprint(os.getcwd())')], ['python']],
        ['no unlabeled prose', [fence('', 'that is all there is to say')], []],
      ],
      (_, fences, languages) => {
        expect(languagesOf(...fences)).toEqual(languages)
      },
    ))
})
