import { describe, expect, it } from 'vitest'
import { Dockerignore } from './dockerignore.ts'

const files = [
  'README.md',
  'a.log',
  'docs/b.log',
  'docs/deep/c.log',
  'docs/README.md',
  'src/main.py',
  'x[1]',
  'x1',
  'x.txt',
  '.env',
]

/**
 * Which rules leave which of the files. `docker build` (28.2) with the classic builder agrees, but for exceptions with
 * wildcards, whose directories it does not look into.
 */
const rows: readonly (readonly [rules: string, left: string])[] = [
  ['', files.join(' ')],
  ['*', ''],
  ['**', ''],
  ['*.log', 'README.md docs/b.log docs/deep/c.log docs/README.md src/main.py x[1] x1 x.txt .env'],
  ['**/*.log', 'README.md docs/README.md src/main.py x[1] x1 x.txt .env'],
  ['**.log', 'README.md docs/README.md src/main.py x[1] x1 x.txt .env'],
  ['docs', 'README.md a.log src/main.py x[1] x1 x.txt .env'],
  ['/docs/', 'README.md a.log src/main.py x[1] x1 x.txt .env'],
  ['./docs/../docs', 'README.md a.log src/main.py x[1] x1 x.txt .env'],
  ['docs/*', 'README.md a.log src/main.py x[1] x1 x.txt .env'],
  ['docs/**', 'README.md a.log src/main.py x[1] x1 x.txt .env'],
  ['docs/*.log', 'README.md a.log docs/deep/c.log docs/README.md src/main.py x[1] x1 x.txt .env'],
  ['docs/**/*.log', 'README.md a.log docs/README.md src/main.py x[1] x1 x.txt .env'],
  ['*/*/c.log', 'README.md a.log docs/b.log docs/README.md src/main.py x[1] x1 x.txt .env'],
  ['**/deep', 'README.md a.log docs/b.log docs/README.md src/main.py x[1] x1 x.txt .env'],
  ['x?', 'README.md a.log docs/b.log docs/deep/c.log docs/README.md src/main.py x[1] x.txt .env'],
  ['x[0-9]', 'README.md a.log docs/b.log docs/deep/c.log docs/README.md src/main.py x[1] x.txt .env'],
  ['x\\[1]', 'README.md a.log docs/b.log docs/deep/c.log docs/README.md src/main.py x1 x.txt .env'],
  ['x.txt', 'README.md a.log docs/b.log docs/deep/c.log docs/README.md src/main.py x[1] x1 .env'],
  ['*\n!src', 'src/main.py'],
  ['*\n!docs/deep', 'docs/deep/c.log'],
  ['*\n!**/*.md', 'README.md docs/README.md'],
  ['*.md\n!README.md', files.join(' ')],
  ['!README.md\n*.md', 'a.log docs/b.log docs/deep/c.log docs/README.md src/main.py x[1] x1 x.txt .env'],
  ['docs\n!docs/README.md\ndocs/b.log', 'README.md a.log docs/README.md src/main.py x[1] x1 x.txt .env'],
  ['# docs\n  \n.\n', files.join(' ')],
  ['\uFEFFdocs\r\n  .env  ', 'README.md a.log src/main.py x[1] x1 x.txt'],
]

describe('Dockerignore', () => {
  it.each(rows)('%j', (rules, left) => {
    const ignore = new Dockerignore(rules, '.dockerignore')
    expect(files.filter((file) => !ignore.leavesOut(file)).join(' ')).toBe(left)
  })

  it.each([
    ['*\n!docs/deep/c.log', 'docs', true],
    ['*\n!docs/deep/c.log', 'docs/deep', true],
    ['*\n!docs/deep/c.log', 'node_modules', false],
    ['*\n!README.md', 'node_modules', false],
    ['*\n!**/*.md', 'docs', true],
    ['*\n!docs/*/c.log', 'docs/deep', true],
    ['*\n!docs/*/c.log', 'src', false],
    ['*\n!do*/c.log', 'docs', true],
    ['docs', 'docs', false],
  ])('%j: may something below %s be taken: %s', (rules, directory, expected) => {
    expect(new Dockerignore(rules, '.dockerignore').mayTakeBelow(directory)).toBe(expected)
  })

  // `docker build` says "syntax error in pattern".
  it.each(['[z-a]', 'docs/[z-a].log', '!x[9-0]', 'a[\\]'])('refuses %s, and says where it stands', (line) => {
    expect(() => new Dockerignore(`*\n${line}\n`, '/project/.dockerignore')).toThrow(
      expect.objectContaining({
        code: 'BUILD_FAILED',
        message: expect.stringContaining(
          `The line ${JSON.stringify(line)} in /project/.dockerignore is not a valid pattern`,
        ),
      }),
    )
  })
})
