/** One expression for all of these, none of which has flags: tried together they are several times as fast. */
export function anyOf(patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map((pattern) => pattern.source).join('|'))
}
