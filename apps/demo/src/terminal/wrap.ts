/** Breaks the lines of a text between words, so that what goes on keeps its indentation. */
export function wrap(text: string, width: number): string {
  return text
    .split('\n')
    .map((line) => wrapLine(line, width))
    .join('\n')
}

function wrapLine(line: string, width: number): string {
  const indent = /^ *(?:[-✖→] )?/.exec(line)?.[0].replaceAll(/./gu, ' ') ?? ''
  const lines: string[] = []
  let current = indent
  for (const word of line.slice(indent.length).split(' ')) {
    const longer = current === indent ? `${indent}${word}` : `${current} ${word}`
    if (longer.length < width || current === indent) current = longer
    else {
      lines.push(current)
      current = `${indent}${word}`
    }
  }
  return line.slice(0, indent.length) + [...lines, current].join('\n').slice(indent.length)
}
