/** Options of {@link boundedText}. */
export interface BoundedTextOptions {
  /** How long what is kept may be, in characters (UTF-16 code units); the line that tells of the cut comes on top. */
  readonly maxLength: number
  /** How many bytes were left out of the text before, so that the line says that as well. Default 0. */
  readonly bytesLeftOut?: number
}

/**
 * A text that a model can afford: its beginning and its end, and between them a line that says how much is not there. The
 * end is where a program says what came out and why it failed.
 */
export function boundedText(text: string, { maxLength, bytesLeftOut = 0 }: BoundedTextOptions): string {
  if (text.length <= maxLength) return text
  const headEnd = wholeCharacter(text, Math.ceil(maxLength / 2))
  const tailStart = wholeCharacter(text, text.length - Math.floor(maxLength / 2))
  const before = bytesLeftOut === 0 ? '' : `, and ${bytesLeftOut} bytes that were left out before`
  const gap = `\n[... ${tailStart - headEnd} of ${text.length} characters left out${before} ...]\n`
  return text.slice(0, headEnd) + gap + text.slice(tailStart)
}

/** The end of a text, without half a character at its beginning. */
export function endOf(text: string, maxLength: number): string {
  return text.slice(wholeCharacter(text, Math.max(0, text.length - maxLength)))
}

/** The position, or the one behind it where it lies within a pair of surrogates. */
function wholeCharacter(text: string, position: number): number {
  const isWithin = /^[\ud800-\udbff][\udc00-\udfff]$/.test(
    text.slice(Math.max(0, position - 1), position + 1),
  )
  return isWithin ? position + 1 : position
}
