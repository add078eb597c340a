import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
// @boundaries-ignore The list of losses, which no package exports.
import { losses } from '../packages/errors/src/losses.ts'
import { byHand } from './by-hand.ts'
import { errorsPage, groupsOf } from './codes.ts'

const root = join(import.meta.dirname, '..')

const sources = globSync('{packages/*,apps/*,shared}/src/**/*.ts', { cwd: root })
  .filter((path) => !/\.(test|fixture)\.ts$|errors\/src\/codes\.ts$/.test(path))
  .map((path) => readFileSync(join(root, path), 'utf8'))
  .join('\n')

const messages = readFileSync(join(root, 'docs/messages.md'), 'utf8')

/** Codes of Node and undici. */
const others = new Set(['ERR_MODULE_NOT_FOUND', 'ERR_STREAM_PREMATURE_CLOSE', 'UND_ERR_CONNECT_TIMEOUT'])

/** Codes of issues in a zod schema. */
const ofZod = new Set(['custom'])

it.each([
  {
    union: 'FencedErrorCode',
    written: /\bcode(?::| [!=]==) '([A-Z][A-Z\d]+(?:_[A-Z\d]+)+)'/g,
    ignored: others,
  },
  { union: 'NoticeCode', written: /\bcode: '([a-z]{2,}(?:-[a-z]+)*)'/g, ignored: ofZod },
] as const)('every code in the sources is a $union', ({ union, written, ignored }) => {
  const known = new Set([...codesOf('FencedErrorCode'), ...codesOf(union)])
  const unknown = matches(sources, written).filter((code) => !known.has(code) && !ignored.has(code))
  expect(unknown).toEqual([])
})

it.each(['FencedErrorCode', 'NoticeCode'] as const)('every %s is in use', (union) => {
  const codes = codesOf(union)
  expect(codes.length).toBeGreaterThan(40)
  expect(codes.filter((code) => !sources.includes(`'${code}'`))).toEqual([])
})

it('each NoticeCode is listed as a loss or not, which decides whether a model always reads it', () => {
  expect(Object.keys(losses).toSorted()).toEqual(codesOf('NoticeCode').toSorted())
})

// `npx -y pnpm vitest run tests/error-codes.test.ts -u` writes the page again.
it('docs/errors.md has the tables of packages/errors/src/codes.ts', async () => {
  const page = join(root, 'docs/errors.md')
  await expect(errorsPage(readFileSync(page, 'utf8'))).toMatchFileSnapshot(page)
})

it('docs/messages.md has an example of each code', () => {
  const rows = matches(messages, /^\| `(.+?)`(?: \\\*)? \| .+ \| .+ \|$/gm)
  expect(rows.toSorted()).toEqual([...codesOf('FencedErrorCode'), ...codesOf('NoticeCode')].toSorted())
})

it('docs/messages.md marks the examples of tests/by-hand.ts', () => {
  expect(matches(messages, /^\| `(.+?)` \\\* \|/gm).toSorted()).toEqual(Object.keys(byHand).toSorted())
})

function codesOf(union: 'FencedErrorCode' | 'NoticeCode'): string[] {
  return groupsOf(union).flatMap(({ codes }) => codes.map(({ code }) => code))
}

function matches(text: string, pattern: RegExp): string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, code = '']) => code))]
}
