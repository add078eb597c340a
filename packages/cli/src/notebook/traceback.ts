/** An exception, as nbformat has it. */
export interface Traceback {
  /** What the cell wrote before. */
  readonly before: string
  readonly ename: string
  readonly evalue: string
  /** Its lines. */
  readonly traceback: string[]
}

/** Reads the exception at the end of what a cell wrote to stderr. */
export function readTraceback(stderr: string): Traceback {
  const start = startOf(stderr)
  const text = stderr.slice(start).trimEnd()
  return { before: stderr.slice(0, start), ...nameAndValue(text), traceback: text.split('\n') }
}

/**
 * IPython begins with a line, and with the place where there is a syntax error, behind what the program wrote last. Without either,
 * all of it is the traceback.
 */
function startOf(stderr: string): number {
  const starts = [...stderr.matchAll(/-{75}$|[ ]{2}(?:Cell|File) .*, line \d+$/gm)]
  const ruled = starts.filter(([match]) => match.startsWith('-'))
  return (ruled.at(-1) ?? starts.at(-1))?.index ?? 0
}

/** The head of each exception of a chain, before the frames. */
const head = /^([A-Za-z_][\w.]*) +Traceback \(most recent call last\)$/gm
/** The last line of a syntax error, or of an error of another language. */
const errorLine = /^([A-Za-z_][\w.]*)(?::(?: (.*))?)?$/

function nameAndValue(text: string): Pick<Traceback, 'ename' | 'evalue'> {
  const last = [...text.matchAll(head)].at(-1)
  const name = last?.[1]
  if (last !== undefined && name !== undefined) {
    const lines = text.slice(last.index + last[0].length + 1).split('\n')
    // Lines of frames are indented, or have a number or an arrow.
    const first = lines.findIndex((line) => line === name || line.startsWith(`${name}:`))
    const [line, ...more] = lines.slice(first)
    const evalue = [line?.slice(name.length + 2), ...more].join('\n')
    if (first !== -1) return { ename: name, evalue }
  }
  const [, ename = 'Error', evalue = ''] = errorLine.exec(text.slice(text.lastIndexOf('\n') + 1)) ?? []
  return { ename, evalue }
}
