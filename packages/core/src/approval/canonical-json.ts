/**
 * Returns the canonical JSON of a value, as in RFC 8785: no white space, keys sorted by their UTF-16 code units, numbers and
 * strings as `JSON.stringify` writes them, and no fields that are `undefined`. Half of a surrogate pair, which RFC 8785
 * forbids, is written as an escape. A value and its copy through JSON have the same canonical JSON.
 *
 * @throws TypeError for a value that has no JSON, such as a `bigint`.
 */
export function canonicalJson(value: unknown): string {
  const json = JSON.stringify(value)
  if (json === undefined) throw new TypeError('The value has no JSON.')
  return canonical(JSON.parse(json))
}

function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  const fields = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`)
  return `{${fields.join(',')}}`
}
