import type { Notice } from '../code-result.ts'

const entity = /&(?:amp|lt|gt|quot|apos|#0*3[49]);/

/** Errors of interpreters that read `a &amp;&amp; b` or `x &lt; 1` as code. */
const misread = /syntax ?error|\b(?:amp|lt|gt|quot|apos): (?:command )?not found/i

/** Returns a notice for a program that failed because it has HTML entities in place of characters, else `undefined`. */
export function htmlEntitiesNotice(code: string, stderr: string): Notice | undefined {
  if (!misread.test(stderr)) return undefined
  const index = code.split('\n').findIndex((line) => entity.test(line))
  if (index === -1) return undefined
  const line = `${index + 1}`
  const [found = ''] = entity.exec(code) ?? []
  return {
    code: 'html-entities',
    message: `Line ${line} of the program contains the HTML entity ${found}. The program runs as written and is not decoded. Write the characters themselves, such as & or <.`,
    data: { line, entity: found },
  }
}
