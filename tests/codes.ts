import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** One code, with what its comment says. */
export interface Code {
  readonly code: string
  /** The packages that use it, without `@fenced/`. */
  readonly from: string
  readonly happened: string
  readonly remedy: string
}

/** A part of a union, which becomes a chapter of `docs/errors.md`. */
export interface Group {
  readonly title: string
  readonly codes: readonly Code[]
}

const root = join(import.meta.dirname, '..')
const unions = readFileSync(join(root, 'packages/errors/src/codes.ts'), 'utf8')

/** Reads a union of `codes.ts`. Its comments are titles, and after each code: packages, what happened, and what to do. */
export function groupsOf(union: 'FencedErrorCode' | 'NoticeCode'): Group[] {
  const [, body = ''] = unions.split(`export type ${union} =\n`)
  const [text = ''] = body.split('\n\n')
  return text.split(/^ {2}\/\/ /m).flatMap((part) => {
    const [title = '', ...lines] = part.trimEnd().split('\n')
    return lines.length === 0 ? [] : [{ title, codes: lines.map(codeOf) }]
  })
}

function codeOf(line: string): Code {
  const [, code = '', from = '', happened = '', remedy = ''] =
    /^ {2}\| '(.+?)' \/\/ ([a-z0-9, -]+): (.+) → (.+)$/.exec(line) ?? []
  if (code === '') {
    throw new Error(
      `packages/errors/src/codes.ts: expected "| 'CODE' // packages: What happened. → What to do.": ${line}`,
    )
  }
  return { code, from, happened, remedy }
}

/** Returns `docs/errors.md` with the tables below `## Errors` and `## Notices` made from `codes.ts`. */
export function errorsPage(page: string): string {
  return page
    .replace(/(?<=^## Errors\n\n).*?(?=^## Notices$)/ms, () => tables('FencedErrorCode'))
    .replace(/(?<=^## Notices\n\n[^#]*)^###.*$/ms, () => `${tables('NoticeCode').trimEnd()}\n`)
}

function tables(union: 'FencedErrorCode' | 'NoticeCode'): string {
  const header = '| Code | From | What happened | What to do |\n| --- | --- | --- | --- |'
  return groupsOf(union)
    .map(({ title, codes }) => {
      const rows = codes.map((row) => `| \`${row.code}\` | ${row.from} | ${row.happened} | ${row.remedy} |`)
      return `### ${title}\n\n${header}\n${rows.join('\n')}\n\n`
    })
    .join('')
}
