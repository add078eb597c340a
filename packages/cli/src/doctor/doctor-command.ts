import { stripVTControlCharacters, styleText } from 'node:util'
import { UserError } from '../user-error.ts'
import { type Check, checks, type Finding, runCheck } from './check.ts'

/** Prints what works here. @returns 0 when all that was named works; without names, when code can run anywhere. */
export async function doctor(
  names: readonly string[],
  { json }: { readonly json: boolean },
): Promise<number> {
  const named = names.map(checkOf)
  const findings = await Promise.all(
    (named.length > 0 ? named : checks).map((check) => runCheck(check, named.length > 0)),
  )
  const printed = json ? JSON.stringify(findings, null, 2) : findings.map(paragraph).join('\n')
  process.stdout.write(`${printed}\n`)
  const works = ({ works, check }: Finding) => works && (named.length > 0 || check !== 'disk')
  return (named.length > 0 ? findings.every(works) : findings.some(works)) ? 0 : 1
}

function checkOf(name: string): Check {
  const check = checks.find((each) => each === name)
  if (check !== undefined) return check
  throw new UserError(`There is no check "${name}": name some of ${checks.join(', ')}.`)
}

function paragraph({ check, works, detail, repair }: Finding): string {
  const { stdout } = process
  const mark = works
    ? styleText('green', 'works', { stream: stdout })
    : styleText('red', 'fails', { stream: stdout })
  const lines = [detail, ...(repair === undefined ? [] : [repair])].flatMap((text) =>
    stripVTControlCharacters(text).split('\n'),
  )
  return lines
    .map((line, index) => `${index === 0 ? `${check.padEnd(11)} ${mark}  ` : ' '.repeat(19)}${line.trim()}`)
    .join('\n')
}
