import { expect, test } from 'vitest'
import { unknownLanguageMessage } from '../plan/what-runs.ts'

test.each<[language: string, runs: readonly string[], message: string]>([
  ['go', ['python', 'sh'], 'unknown language go. This executor runs python, sh.'],
  [
    'jsx',
    ['python', 'javascript'],
    'unknown language jsx. This executor runs python, javascript. Node does not run JSX: write the program without it, and label the block javascript.',
  ],
  [
    'src/app.tsx',
    ['typescript'],
    'unknown language src/app.tsx. This executor runs typescript. Node does not run JSX: write the program without it, and label the block typescript.',
  ],
  [
    'pyhton',
    ['sh', 'python'],
    'unknown language pyhton. Did you mean python? This executor runs sh, python.',
  ],
  ['jsx', ['python'], 'unknown language jsx. This executor runs python.'],
  [
    'python\u200B',
    ['python'],
    'unknown language python[U+200B]. Did you mean python? This executor runs python.',
  ],
  ['py\nthon', ['python'], 'unknown language py␊thon. Did you mean python? This executor runs python.'],
])('an unknown language: %s', (language, runs, message) => {
  expect(unknownLanguageMessage(language, runs)).toBe(message)
})
