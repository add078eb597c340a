/** A browser needs more than twice as long for twice as many nested elements, and the page stands still meanwhile. */
const maxElements = 20_000
const maxStyles = 100
/** In characters, without the data of pictures. */
const maxText = 1_000_000
/** In characters. */
const maxLength = 16_000_000

/** Why HTML is too much to show; `undefined` where it is not. Elements are counted without a parser: it may count too many. */
export function htmlProblem(html: string): string | undefined {
  if (html.length > maxLength) return `it has more than ${maxLength.toLocaleString('en')} characters`
  const text = html.replace(/base64,[a-z0-9+/=]*/gi, '')
  if (text.length > maxText)
    return `it has more than ${maxText.toLocaleString('en')} characters besides pictures`
  if (count(text, /<[a-z]/gi) > maxElements)
    return `it has more than ${maxElements.toLocaleString('en')} elements`
  return count(text, /<style/gi) > maxStyles ? `it has more than ${maxStyles} style elements` : undefined
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}
