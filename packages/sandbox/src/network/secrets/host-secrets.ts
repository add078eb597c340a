import type { IncomingMessage } from 'node:http'
import { Refusal } from '../proxied-request.ts'
import { HashedTexts } from './hashed-texts.ts'
import { MaskStream, masked } from './mask-stream.ts'
import { secretForms } from './secret-forms.ts'

/** A secret, and what a program has of it. */
export interface PlacedSecret {
  readonly value: string
  readonly placeholder: string
  /** The headers in which it is put, in lower case. */
  readonly headers: ReadonlySet<string>
}

/** What could bring a part of an answer, or one in which nothing can be looked for. */
const withoutParts: ReadonlySet<string> = new Set(['range', 'if-range', 'accept-encoding'])

/** The secrets of one host, in requests to it and in its answers. */
export class HostSecrets {
  readonly #secrets: readonly PlacedSecret[]
  readonly #forms: HashedTexts

  constructor(secrets: readonly PlacedSecret[]) {
    this.#secrets = secrets
    this.#forms = new HashedTexts(secrets.flatMap(({ value }) => secretForms(value)))
  }

  /** Headers (names and values in turn) with the secrets in them, for an answer that is whole and not compressed. */
  fill(headers: readonly string[]): string[] {
    const filled: string[] = ['Accept-Encoding', 'identity']
    for (let index = 0; index < headers.length; index += 2) {
      const [name = '', value = ''] = headers.slice(index, index + 2)
      if (!withoutParts.has(name.toLowerCase())) filled.push(name, this.#fill(name.toLowerCase(), value))
    }
    return filled
  }

  /** @throws Refusal for an answer in which no secret can be looked for. */
  check({ statusCode, headers }: IncomingMessage): void {
    const codings = [headers['content-encoding'] ?? 'identity', headers['transfer-encoding'] ?? 'chunked']
    const [content, transfer] = codings.map((coding) => coding.trim().toLowerCase())
    if (content !== 'identity' || transfer !== 'chunked')
      throw new Refusal(502, 'the host answers in an encoding in which secrets cannot be found')
    if (statusCode === 206)
      throw new Refusal(502, 'the host answers with a partial response that was not requested')
  }

  /** What of an answer's head or status a program may read. */
  mask(text: string): string {
    return masked(text, this.#forms)
  }

  /** What of an answer's body it may read. */
  masking(): MaskStream {
    return new MaskStream(this.#forms)
  }

  #fill(name: string, value: string): string {
    let filled = value
    for (const { headers, placeholder, value: secret } of this.#secrets) {
      if (!headers.has(name)) continue
      filled = filled.replaceAll(placeholder, () => secret)
      filled = filled.replace(/^(basic +)([\w+/]+=*)$/i, (all, scheme, coded) => {
        const login = Buffer.from(coded, 'base64').toString()
        if (!login.includes(placeholder)) return all
        return scheme + Buffer.from(login.replaceAll(placeholder, () => secret)).toString('base64')
      })
    }
    return filled
  }
}
