import { expect, test } from 'vitest'
import { unknownLanguageMessage } from './language-messages.ts'

test.each<[language: string, runs: readonly string[], message: string]>([
  ['go', ['python', 'sh'], 'unknown language go. It runs python, sh.'],
  [
    'jsx',
    ['python', 'javascript'],
    'unknown language jsx. It runs python, javascript. Node runs no JSX: write the program without it, and label the block javascript.',
  ],
  [
    'src/app.tsx',
    ['typescript'],
    'unknown language src/app.tsx. It runs typescript. Node runs no JSX: write the program without it, and label the block typescript.',
  ],
  ['pyhton', ['sh', 'python'], 'unknown language pyhton. Did you mean python? It runs sh, python.'],
  ['jsx', ['python'], 'unknown language jsx. It runs python.'],
  ['python\u200B', ['python'], 'unknown language python[U+200B]. Did you mean python? It runs python.'],
  ['py\nthon', ['python'], 'unknown language py␊thon. Did you mean python? It runs python.'],
])('an unknown language: %s', (language, runs, message) => {
  expect(unknownLanguageMessage(language, runs)).toBe(message)
})
