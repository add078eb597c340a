import { describe, expect, it } from 'vitest'
import { hasTestNamed, repositoryText } from './named-tests.ts'

/** One finding of a review: the page and row that describe it, and what became of it. */
type Finding = Readonly<Record<string, string>>

const findings: readonly Finding[] = JSON.parse(repositoryText('docs/findings.json') ?? '[]')

/** What each status needs beside the page and the id. */
const needed: Readonly<Record<string, readonly string[]>> = {
  fixed: ['test', 'name'],
  answered: ['document', 'sentence'],
  open: [],
}

/** Rows that are in the list: their page, what their id begins with, and how many there are, or their numbers. */
const numbered: readonly (readonly [
  page: string,
  prefix: string,
  rows: number | readonly (number | string)[],
])[] = [
  ['attacks', 'A', 8],
  ['attacks', 'B', 9],
  [
    'bug-reports',
    '',
    [
      ...['01', '02', '03', '05', '08', '09', '13', '18', '19c', '19d', '24b', '24c', '24d', '24e'],
      ...['31b', '32', '34b', '37', '41', '43', '43b', '43c', '44'],
    ],
  ],
  ['conformance', '', 24],
  ['house-agents-web-docs', 'B', 23],
  ['house-core', 'B', 22],
  ['house-docker-jupyter', '§6 ', 5],
  ['judge', '', 12],
  ['js-shell', 'J', 14],
  ['judge4', '', [3, 7, 8, 9, 10, 11, 12, 13, 14, 15]],
  ['kernels', 'K', 19],
  ['newuser', 'N', [...range(1, 7), ...range(9, 19), 22, 23, 24, 26, 27, 30, 32, 33, 34]],
  ['newuser4', 'S', [1, 2, 4, 6, ...range(7, 27)]],
  ['operations', 'O', 12],
  ['packages', 'P', 16],
  ['promises-a', 'A', 25],
  ['promises-b', 'PB', 28],
  ['repro-core', 'N', 25],
  // The bugs of house-docker-jupyter, reproduced.
  ['repro-docker', 'B', 24],
  ['repro-docker', 'N', 15],
  ['repairs', 'F', 15],
  ['silent', 'C', 18],
  ['warm-python', 'W', 23],
]

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}

const withStatus = (wanted: string) => findings.filter(({ status }) => status === wanted)

describe('the list of findings', () => {
  it('says of each finding once what became of it', () => {
    const keys = findings.map(({ page, id }) => `${page} ${id}`)
    expect(keys.length).toBeGreaterThan(20)
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([])
    const isComplete = (each: Finding) =>
      [...Object.keys(each)].sort().join() ===
      ['page', 'id', 'status', ...(needed[each.status ?? ''] ?? ['?'])].sort().join()
    expect(findings.filter((each) => !isComplete(each))).toEqual([])
  })

  it('has every numbered row, or its parts, and says of each what became of it', () => {
    const settled = findings.filter(({ status }) => status !== 'open')
    const missing = numbered.flatMap(([page, prefix, rows]) => {
      const numbers = typeof rows === 'number' ? Array.from({ length: rows }, (_, index) => index + 1) : rows
      const isListed = (id: string) =>
        settled.some((each) => each.page === page && `${each.id} `.startsWith(`${id} `))
      return numbers.map((number) => `${prefix}${number}`).filter((id) => !isListed(id))
    })
    expect(missing).toEqual([])
  })

  it('names a test that exists for each finding that is fixed', () => {
    expect(withStatus('fixed').filter(({ test = '', name = '' }) => !hasTestNamed(test, name))).toEqual([])
  })

  it('quotes a sentence of the documentation for each finding that is answered', () => {
    const isQuoted = ({ document = '', sentence = '' }: Finding) =>
      sentence.length > 20 && inOneLine(repositoryText(document) ?? '').includes(inOneLine(sentence))
    expect(withStatus('answered').filter((each) => !isQuoted(each))).toEqual([])
  })
})

function inOneLine(text: string): string {
  return text.replaceAll(/\s*\n[ */]*/g, ' ')
}
