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

/** Pages of which every numbered row is in the list: the letter of their rows, and how many there are. */
const numbered: Readonly<Record<string, readonly [letter: string, count: number]>> = {
  conformance: ['', 24],
  'house-agents-web-docs': ['B', 23],
  'house-core': ['B', 22],
  'repro-core': ['N', 25],
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
    const missing = Object.entries(numbered).flatMap(([page, [letter, count]]) => {
      const known = findings.filter((each) => each.page === page && each.status !== 'open')
      const rows = new Set(known.map(({ id }) => id?.split(' ')[0]))
      const wanted = Array.from({ length: count }, (_, index) => `${letter}${index + 1}`)
      return wanted.filter((id) => !rows.has(id)).map((id) => `${page} ${id}`)
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
