/** A piece of what comes from a terminal. */
export type InputToken =
  /** Typed characters and the sequences of special keys, as they came. */
  | { readonly kind: 'keys'; readonly text: string }
  /** What a terminal says was pasted, without line breaks and other control characters than tabs. */
  | { readonly kind: 'pasted'; readonly text: string }
  | { readonly kind: 'line-break'; readonly pasted: boolean }
  /** Ctrl-C. */
  | { readonly kind: 'interrupt' }
  /** Ctrl-D. */
  | { readonly kind: 'end' }

/** Around what is pasted, where the terminal was asked for it: https://invisible-island.net/xterm/ctlseqs/ctlseqs.html */
const pasteStart = '\x1b[200~'
const pasteEnd = '\x1b[201~'

/** Cuts what comes from a terminal in raw mode into tokens. Chunks may end anywhere. */
export class InputScanner {
  #isPasting = false
  /** May be the beginning of a marker. */
  #held = ''
  /** A line feed that follows belongs to it. */
  #endedWithReturn = false

  scan(chunk: string): InputToken[] {
    const tokens: InputToken[] = []
    let rest = this.#held + chunk
    for (;;) {
      const marker = this.#isPasting ? pasteEnd : pasteStart
      const index = rest.indexOf(marker)
      if (index === -1) break
      tokens.push(...this.#cut(rest.slice(0, index)))
      rest = rest.slice(index + marker.length)
      this.#isPasting = !this.#isPasting
    }
    this.#held = beginningAtEnd(rest, this.#isPasting ? pasteEnd : pasteStart)
    tokens.push(...this.#cut(rest.slice(0, rest.length - this.#held.length)))
    return tokens
  }

  /** What was held back, when nothing followed: it was a key, Escape for one. A paste goes on until its end is told. */
  flush(): InputToken[] {
    if (this.#isPasting || this.#held === '') return []
    const text = this.#held
    this.#held = ''
    return [{ kind: 'keys', text }]
  }

  #cut(text: string): InputToken[] {
    if (text === '') return []
    const unread = this.#endedWithReturn && text.startsWith('\n') ? text.slice(1) : text
    this.#endedWithReturn = text.endsWith('\r')
    return unread.split(separators).flatMap((piece) => this.#token(piece))
  }

  #token(piece: string): InputToken[] {
    if (piece === '') return []
    if (/^[\r\n]/.test(piece)) return [{ kind: 'line-break', pasted: this.#isPasting }]
    if (this.#isPasting) {
      const text = piece.replaceAll(control, '')
      return text === '' ? [] : [{ kind: 'pasted', text }]
    }
    if (piece === '\x03') return [{ kind: 'interrupt' }]
    if (piece === '\x04') return [{ kind: 'end' }]
    return [{ kind: 'keys', text: piece }]
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: keys are control characters.
const separators = /(\r\n|[\r\n\x03\x04])/
// biome-ignore lint/suspicious/noControlCharactersInRegex: an editor would take them for keys, and a terminal obey them.
const control = /[\0-\x08\x0B-\x1F\x7F-\x9F]/g

/** The longest end of `text` with which `marker` begins. */
function beginningAtEnd(text: string, marker: string): string {
  for (let length = Math.min(text.length, marker.length - 1); length > 0; length--) {
    const beginning = marker.slice(0, length)
    if (text.endsWith(beginning)) return beginning
  }
  return ''
}
