const mostCharacters = 130

interface TextPlace {
  readonly x: number
  readonly y: number
  readonly style: string
}

/** A line of text, with what is between backticks as code. */
export function text({ x, y, style }: TextPlace, line: string): string {
  const marked = escaped(line).replaceAll(/`([^`]*)`/g, '<tspan class="code">$1</tspan>')
  return `<text class="${style}" x="${x}" y="${y}">${marked}</text>`
}

/** Lines that fit, cut between words. */
export function wrapped(line: string): readonly string[] {
  const lines: string[] = []
  for (const word of line.split(' ')) {
    const last = lines.at(-1)
    if (last === undefined || last.length + word.length >= mostCharacters) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}

export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
