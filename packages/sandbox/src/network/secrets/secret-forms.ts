/**
 * Returns the forms in which a host may send a secret back: unchanged, in hexadecimal, and in base64 after any number of
 * other bytes, also with the signs of URLs. `SecretMask` finds each of them also with escaped characters. A host that writes the secret
 * in another way gives it to the program.
 */
export function secretForms(value: string): readonly string[] {
  const bytes = Buffer.from(value)
  const inBase64 = [0, 1, 2].map((before) => base64Behind(bytes, before))
  const forms = [
    ...[value, bytes.toString('hex'), ...inBase64],
    ...inBase64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ]
  return [...new Set(forms)]
}

/** The characters of base64 that say nothing but these bytes, where others come before and behind. */
function base64Behind(bytes: Buffer, before: number): string {
  const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
  return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
}
