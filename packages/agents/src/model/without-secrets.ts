const replacement = '[redacted]'

/** What stands before a key, in a group, and the key. A look behind would read a run of blanks again at each of them. */
const patterns: readonly RegExp[] = [
  /(\b(?:bearer|basic)\s+)[\w.~+/=-]{8,}/gi,
  /(\bapi[ _-]?key\b[^:=\n]{0,20}[:=]\s*["']?)[^\s"',;)]+/gi,
  /([?&](?:api[_-]?key|key|token|access_token)=)[^&\s"']+/gi,
  /()\b(?:sk|pk|rk|gsk|xai|hf|AIza)[-_A-Za-z0-9]{16,}/g,
]

/**
 * A message of a provider without keys: some repeat the key or the header that they refuse.
 *
 * @param known values to take out wherever they stand
 */
export function withoutSecrets(text: string, known: readonly string[] = []): string {
  const cleaned = patterns.reduce((before, pattern) => before.replace(pattern, `$1${replacement}`), text)
  return known
    .filter((value) => value.length >= 8)
    .reduce((before, value) => before.replaceAll(value, replacement), cleaned)
}
