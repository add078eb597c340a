import { readFile } from 'node:fs/promises'
import type { OutputFile } from '@fenced/core'

/** Larger pictures take a terminal too long, in bytes. */
const largestPicture = 4_000_000

/**
 * Returns the escape sequence that shows a PNG in this process's terminal, for the `showFile` option of `showRun`. Supports
 * kitty, Ghostty, iTerm2 and WezTerm. Returns `undefined` in other terminals, in tmux and screen, for other file types, and for
 * files over 4 MB.
 */
export async function showPicture({
  path,
  absolutePath,
  sizeBytes,
}: OutputFile): Promise<string | undefined> {
  const show = pictureProtocol(process.stdout, process.env)
  const isPicture = path.endsWith('.png') && sizeBytes <= largestPicture
  if (show === undefined || absolutePath === undefined || !isPicture) return undefined
  return readFile(absolutePath, 'base64').then(show, () => undefined)
}

/**
 * Returns the protocol that a terminal supports according to its environment variables, or `undefined`.
 *
 * @see https://sw.kovidgoyal.net/kitty/graphics-protocol
 * @see https://iterm2.com/documentation-images.html
 */
export function pictureProtocol(
  { isTTY }: { readonly isTTY?: boolean },
  { TERM = '', TERM_PROGRAM = '', KITTY_WINDOW_ID, TMUX }: Readonly<Record<string, string | undefined>>,
): ((png: string) => string) | undefined {
  // A multiplexer drops sequences that it does not know.
  if (isTTY !== true || TMUX !== undefined || TERM.startsWith('screen')) return undefined
  if (KITTY_WINDOW_ID !== undefined || TERM === 'xterm-kitty' || TERM_PROGRAM === 'ghostty') return kitty
  return ['iTerm.app', 'WezTerm'].includes(TERM_PROGRAM) ? iterm : undefined
}

/** In pieces of at most 4 096 characters; `m=1` says that more follow. */
function kitty(png: string): string {
  const pieces = png.replaceAll(/\s/g, '').match(/.{1,4096}/g) ?? []
  return pieces
    .map((piece, index) => {
      const more = index < pieces.length - 1 ? 1 : 0
      return `\u001b_G${index === 0 ? 'a=T,f=100,' : ''}m=${more};${piece}\u001b\\`
    })
    .join('')
}

function iterm(png: string): string {
  const data = png.replaceAll(/\s/g, '')
  return `\u001b]1337;File=inline=1;size=${Buffer.byteLength(data, 'base64')}:${data}\u0007`
}
