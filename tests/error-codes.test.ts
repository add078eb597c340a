import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const unions = readFileSync(join(root, 'packages/core/src/codes.ts'), 'utf8')
const page = readFileSync(join(root, 'docs/errors.md'), 'utf8')

const sources = globSync('{packages,apps}/*/src/**/*.ts', { cwd: root })
  .filter((path) => !/\.(test|fixture)\.ts$|core\/src\/codes\.ts$/.test(path))
  .map((path) => readFileSync(join(root, path), 'utf8'))
  .join('\n')

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
])('every code in the sources is a $union', ({ union, written, ignored }) => {
  const known = new Set([...codesOf('FencedErrorCode'), ...codesOf(union)])
  const unknown = matches(sources, written).filter((code) => !known.has(code) && !ignored.has(code))
  expect(unknown).toEqual([])
})

it.each([
  { union: 'FencedErrorCode', chapter: 'Errors' },
  { union: 'NoticeCode', chapter: 'Notices' },
])('every $union is in use, and docs/errors.md lists it', ({ union, chapter }) => {
  const codes = codesOf(union)
  expect(codes.length).toBeGreaterThan(40)
  expect(codes.filter((code) => !sources.includes(`'${code}'`))).toEqual([])
  const [, text = ''] = page.split(`\n## ${chapter}\n`)
  const rows = text
    .split('\n## ', 1)
    .join()
    .matchAll(/^\| `(.+?)` \|(.*)\|(.*)\|(.*)\|$/gm)
  const listed = [...rows].filter(([, , ...cells]) => cells.every((cell) => /\S/.test(cell)))
  expect(listed.map(([, code]) => code).toSorted()).toEqual(codes.toSorted())
})

function codesOf(union: string): string[] {
  const [, body = ''] = unions.split(`export type ${union} =`)
  return matches(body.split('\n\n', 1).join(), /\| '(.+?)'/g)
}

function matches(text: string, pattern: RegExp): string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, code = '']) => code))]
}
