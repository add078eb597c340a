/** Plain data with every text in it redacted, names of fields included. */
export function redactDeep<Value>(value: Value, redact: (text: string) => string): Value {
  return redacted(value, redact) as Value
}

function redacted(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string') return redact(value)
  if (Array.isArray(value)) return value.map((item) => redacted(item, redact))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [redact(key), redacted(item, redact)]))
}
