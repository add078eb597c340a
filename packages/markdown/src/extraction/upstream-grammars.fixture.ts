/**
 * The grammars by which AutoGen and AG2 find code, as facts about them in expressions of our own: which groups are the
 * language and the code follows from the names.
 */
export const upstreamGrammars: Readonly<Record<string, RegExp>> = {
  /** Backticks anywhere in a line, a word for a language; closed by backticks at the beginning of a line. */
  'AutoGen 0.2 and AG2': /`{3}[ \t]*(?<language>\w+)?[ \t]*\r?\n(?<code>.*?)\r?\n[ \t]*`{3}/gs,
  /** Closed by backticks anywhere. */
  'AutoGen 0.5': /`{3}(?:\s*(?<language>[\w+-]+))?\n(?<code>.*?)`{3}/gs,
  /** One of the supported languages, after any white space. */
  'AutoGen 0.7': /`{3}\s*(?<language>python|sh)\n(?<code>.*?)`{3}/gis,
}
