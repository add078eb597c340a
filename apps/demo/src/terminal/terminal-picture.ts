/** How a terminal that can shows a picture: the escape sequence for a PNG in base64. */
export type ShowPicture = (png: string) => string

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The protocol that a terminal understands, by what it says of itself; `undefined` when it says nothing.
 *
 * @see https://sw.kovidgoyal.net/kitty/graphics-protocol
 * @see https://iterm2.com/documentation-images.html
 */
export function pictureProtocol(
  { isTTY }: { readonly isTTY?: boolean },
  { TERM = '', TERM_PROGRAM = '', KITTY_WINDOW_ID, TMUX }: Environment,
): ShowPicture | undefined {
  // A multiplexer stands in between and drops what it does not know.
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
