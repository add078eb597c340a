import { existsSync, readFileSync } from 'node:fs'

/** A text of the repository, or `undefined` where there is no such file. */
export function repositoryText(path: string): string | undefined {
  const url = new URL(`../${path}`, import.meta.url)
  return existsSync(url) ? readFileSync(url, 'utf8') : undefined
}

/** Whether a file has a test or suite of exactly this name, as its source spells it: placeholders included. */
export function hasTestNamed(file: string, name: string): boolean {
  const text = repositoryText(file)
  return ["'", '"', '`'].some((quote) =>
    text?.includes(`${quote}${name.replaceAll(quote, `\\${quote}`)}${quote}`),
  )
}

/** Whether a test file runs a shared suite, such as `describeNetwork`, whose rows have their names elsewhere. */
export function runsSharedSuite(file: string): boolean {
  return /\bdescribe[A-Z]\w*\(/.test(repositoryText(file) ?? '')
}
