import { execFileSync } from 'node:child_process'
import { basename } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repositoryText } from './named-tests.ts'

const page = repositoryText('docs/differences.md') ?? ''

/** Every source of tests: test files, and the shared suites that `contract` stands for. */
const sources = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts', '*.tsx'],
  {
    cwd: new URL('..', import.meta.url),
    encoding: 'utf8',
  },
).split('\n')

const contract = sources.filter((path) => path.startsWith('packages/contract/src/'))

/** One test of a row: `contract` or the name of a file, then perhaps the beginning of a title in quotes. */
interface Proof {
  readonly row: string
  readonly files: readonly string[]
  readonly titles: readonly string[]
}

/** The comment at the end of each row, which the page does not show: perhaps the ids of defects, then the tests. */
const rows = page
  .split('\n')
  .filter((line) => /^\| (?!---)(?!.*\| Fenced \|$)/.test(line))
  .map((line) => {
    const [, behavior = '', tests = ''] = /^\| (.+?) \| .*<!-- (.+) --> \|$/.exec(line) ?? []
    return { behavior: behavior || line, tests }
  })

const proofs = rows.flatMap(({ behavior, tests }): Proof[] =>
  [...tests.matchAll(/(contract|`[^`]+\.test\.tsx?`)((?:(?!contract|`)[^;])*)/g)].map(
    ([, name = '', rest = '']) => ({
      row: `${behavior} ${name}`,
      files: name === 'contract' ? contract : filesNamed(name.replaceAll('`', '')),
      titles: [...rest.matchAll(/"(.+?)(?: ?…)?"(?=[,;\s]|$)/g)].map(([, title = '']) => title),
    }),
  ),
)

function filesNamed(name: string): readonly string[] {
  return sources.filter((path) => path.endsWith(`/${name}`) || basename(path) === name)
}

const hasTitle = ({ files }: Proof, title: string) =>
  files.some((path) => repositoryText(path)?.replaceAll("\\'", "'").includes(title))

describe('the differences from AutoGen and AG2', () => {
  it('have a proof in each row, or say why none is needed', () => {
    expect(rows.length).toBeGreaterThan(80)
    expect(rows.filter(({ tests }) => tests === '')).toEqual([])
  })

  it('name tests that exist', () => {
    expect(proofs.length).toBeGreaterThan(80)
    expect(proofs.filter(({ files }) => files.length === 0).map(({ row }) => row)).toEqual([])
  })

  it('quote titles that exist', () => {
    const missing = proofs.flatMap((proof) =>
      proof.titles.filter((title) => !hasTitle(proof, title)).map((title) => `${proof.row}: ${title}`),
    )
    expect(missing).toEqual([])
  })
})
