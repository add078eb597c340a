const bytesPerToken = 3

/**
 * How many tokens a text has, more or less: its bytes in UTF-8, divided by three. That is some more than tokenizers count
 * for English and for code, and about as much for languages with one token for a character.
 */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken)
}
