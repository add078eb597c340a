const mask = '[redacted]'

/** Forms of credentials, as their issuers describe them. */
const credentials: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]{0,10000}?-----END [A-Z ]{0,30}PRIVATE KEY-----/g,
  /\bsk-[\w-]{16,}/g,
  /\b(?:gh[oprsu]_|github_pat_|glpat-|hf_|npm_)[\w-]{20,}/g,
  /\bxox[abeprs]-[\w-]{10,}/g,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\bAIza[\w-]{35}/g,
  /\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{5,}/g,
  /\bbearer\s+[\w.~+/-]{16,}=*/gi,
]

/** Replaces texts that must not be shared, and counts them. */
export class Redaction {
  /** How many texts were replaced. */
  count = 0
  readonly #texts: readonly string[]
  readonly #directories: readonly string[]

  /** @param directories - working directories, which `.` replaces. */
  constructor(texts: readonly string[], directories: readonly string[] = []) {
    // The longest first, so that a text that contains a shorter one is replaced whole.
    this.#texts = longestFirst(texts)
    this.#directories = longestFirst(directories)
  }

  readonly apply = (text: string): string => {
    let redacted = text
    for (const each of this.#texts) redacted = redacted.replaceAll(each, this.#mask)
    for (const pattern of credentials) redacted = redacted.replaceAll(pattern, this.#mask)
    for (const each of this.#directories) redacted = redacted.replaceAll(each, '.')
    return redacted
  }

  readonly #mask = (): string => {
    this.count++
    return mask
  }
}

function longestFirst(texts: readonly string[]): string[] {
  return texts.filter((text) => text !== '').toSorted((a, b) => b.length - a.length)
}
