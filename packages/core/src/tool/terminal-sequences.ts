/**
 * The control sequences of ECMA-48: CSI (colors, cursor), strings with a terminator (titles, links), and the two-character sequences. A
 * string without a terminator loses its beginning only.
 */
const sequences =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are the subject of this file.
  /(?:\x1B\[|\x9B)[0-?]*[ -/]*[@-~]|(?:\x1B[PX\]^_]|[\x90\x98\x9D-\x9F])[^\x07\x1B\x80-\x9F]*(?:\x07|\x1B\\|\x9C)|\x1B[ -/]*[0-~]?|[\x80-\x9F]/g

/** Returns a text without the sequences that a terminal interprets. The text between them is kept. */
export function withoutTerminalSequences(text: string): string {
  return text.replaceAll(sequences, '')
}
