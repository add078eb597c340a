/**
 * Returns the bytes of base64 as RFC 4648 defines it, with padding; `undefined` for any other text, of which `Buffer.from` would
 * skip parts. Line breaks may be anywhere, as MIME has them.
 */
export function bytesOfBase64(text: string): Buffer | undefined {
  const compact = text.replaceAll(/\r?\n/g, '')
  const bytes = Buffer.from(compact, 'base64')
  return bytes.toString('base64') === compact ? bytes : undefined
}
