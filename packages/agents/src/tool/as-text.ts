/** What a model reads of a value: a text as it is, nothing as an empty text, all else as JSON. */
export function asText(value: unknown): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
}
