import { TextDecoder } from 'node:util'
import { invalidArgument } from './sandbox-error.ts'

/**
 * Text as bytes: in UTF-8, UTF-16, and every encoding of one byte for a character.
 *
 * @throws FencedError `SANDBOX_INVALID_ARGUMENT` for another encoding, and for a character that it does not have.
 */
export function encodeText(text: string, encoding: string): Uint8Array {
  const decoder = decoderOf(encoding)
  if (decoder.encoding === 'utf-8') {
    if (text.isWellFormed()) return new TextEncoder().encode(text)
    throw invalidArgument(
      'The text has half a surrogate pair, which utf-8 cannot encode. Write whole characters.',
      { encoding },
    )
  }
  if (decoder.encoding === 'utf-16le') return Buffer.from(text, 'utf16le')
  if (decoder.encoding === 'utf-16be') return Buffer.from(text, 'utf16le').swap16()
  return encodeSingleBytes(text, decoder)
}

/** Decodes bytes. A byte order mark is kept, so that what is written back is what was read. @throws FencedError `SANDBOX_INVALID_ARGUMENT`. */
export function decoderOf(encoding: string): TextDecoder {
  try {
    return new TextDecoder(encoding, { ignoreBOM: true })
  } catch {
    throw invalidArgument(`The text encoding ${JSON.stringify(encoding)} is unknown. Use "utf-8".`, {
      encoding,
    })
  }
}

/** The platform decodes many encodings and writes few: this is its table in reverse. */
function encodeSingleBytes(text: string, decoder: TextDecoder): Uint8Array {
  const characters = [...decoder.decode(Uint8Array.from({ length: 256 }, (_, byte) => byte))]
  if (characters.length !== 256)
    throw invalidArgument(`Text cannot be written in ${decoder.encoding} here. Use "utf-8".`, {
      encoding: decoder.encoding,
    })
  const bytes = new Map(characters.map((character, byte) => [character, byte]))
  bytes.delete('\uFFFD')
  return Uint8Array.from([...text], (character) => {
    const byte = bytes.get(character)
    if (byte !== undefined) return byte
    throw invalidArgument(
      `${JSON.stringify(character)} cannot be written in ${decoder.encoding}. Use "utf-8".`,
      { text: character, encoding: decoder.encoding },
    )
  })
}
