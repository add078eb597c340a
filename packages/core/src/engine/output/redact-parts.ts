import type { MimeBundle, Notice } from '../../code-result.ts'

type Redact = (text: string) => string

/** A rich result with every text in it redacted, the names of fields in its data included; MIME types are ours. */
export function redactBundle(bundle: MimeBundle, redact: Redact): MimeBundle {
  return Object.fromEntries(Object.entries(bundle).map(([type, value]) => [type, redacted(value, redact)]))
}

/** A notice with what it says redacted. Its code and the names of its data are ours, whatever a secret looks like. */
export function redactNotice({ code, message, data }: Notice, redact: Redact): Notice {
  const parts = Object.entries(data ?? {}).map(([name, value]) => [name, redact(value)] as const)
  return {
    code,
    message: redact(message),
    ...(data === undefined ? {} : { data: Object.fromEntries(parts) }),
  }
}

function redacted(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redact(value)
  if (Array.isArray(value)) return value.map((item) => redacted(item, redact))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [redact(key), redacted(item, redact)]))
}
