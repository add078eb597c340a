import { stripVTControlCharacters, styleText } from 'node:util'
import { UserError } from '../user-error.ts'
import { checkPlace, type Finding, type PlaceToCheck, placesToCheck } from './check-place.ts'

/** Prints what works here. @returns 0 when all that was named works; without names, when code can run anywhere. */
export async function doctor(
  places: readonly string[],
  { json }: { readonly json: boolean },
): Promise<number> {
  const named = places.map(placeOf)
  const findings = await Promise.all(
    (named.length > 0 ? named : placesToCheck).map((place) => checkPlace(place, named.length > 0)),
  )
  const printed = json ? JSON.stringify(findings, null, 2) : findings.map(paragraph).join('\n')
  process.stdout.write(`${printed}\n`)
  const works = ({ works, place }: Finding) => works && (named.length > 0 || place !== 'disk')
  return (named.length > 0 ? findings.every(works) : findings.some(works)) ? 0 : 1
}

function placeOf(name: string): PlaceToCheck {
  const place = placesToCheck.find((each) => each === name)
  if (place !== undefined) return place
  throw new UserError(`There is no place "${name}": name some of ${placesToCheck.join(', ')}.`)
}

function paragraph({ place, works, detail, repair }: Finding): string {
  const { stdout } = process
  const mark = works
    ? styleText('green', 'works', { stream: stdout })
    : styleText('red', 'fails', { stream: stdout })
  const lines = [detail, ...(repair === undefined ? [] : [repair])].flatMap((text) =>
    stripVTControlCharacters(text).split('\n'),
  )
  return lines
    .map((line, index) => `${index === 0 ? `${place.padEnd(11)} ${mark}  ` : ' '.repeat(19)}${line.trim()}`)
    .join('\n')
}
