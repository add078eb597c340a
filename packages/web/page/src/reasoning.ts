/** A part of an answer: what the model says, or how it reasons. */
interface Piece {
  readonly start: number
  readonly prose: string
  readonly isReasoning: boolean
}

/** Splits a text at the tags of reasoning. Reasoning can begin before the text, and end after it. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = []
  let start = 0
  let isReasoning = false
  for (const { 0: tag, 1: slash, index } of text.matchAll(reasoningTag)) {
    pieces.push({ start, prose: text.slice(start, index), isReasoning: slash === '/' })
    start = index + tag.length
    isReasoning = slash === ''
  }
  pieces.push({ start, prose: text.slice(start), isReasoning })
  return pieces.filter(({ prose }) => prose.trim() !== '')
}

/** A tag between backticks is not one. */
const reasoningTag = /(?<!`)<(\/?)(?:think|thinking|thought)>(?!`)/g
