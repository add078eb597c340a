/**
 * Returns the text, or its beginning and `…` if it is longer than `maxLength`. A visible character of several code points, such as
 * an emoji or a letter with accents, is kept or omitted as a whole.
 *
 * @param maxLength - Maximum length of the beginning, in UTF-16 code units.
 */
export function shortened(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, startOfCharacter(text, maxLength))}…`
}

/** Longer than any emoji or letter. Only a letter with a tower of accents is longer, which is divided. */
const longestCharacter = 64

let segmenter: Intl.Segmenter | undefined

function startOfCharacter(text: string, position: number): number {
  segmenter ??= new Intl.Segmenter()
  const character = segmenter.segment(text.slice(0, position + longestCharacter)).containing(position)
  const start = character?.index ?? position
  if (position - start <= longestCharacter) return start
  const isPair = /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(position - 1, position + 1))
  return isPair ? position - 1 : position
}
