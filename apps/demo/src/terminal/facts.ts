import { wrap } from './wrap.ts'

/** What stands at the top of the screen: a name, and what there is to say. */
export type Fact = readonly [name: string, text: string]

const labelWidth = 10

/** One line for each fact; what does not fit goes on below its text. */
export function factLines(facts: readonly Fact[], width: number): string {
  return facts
    .map(([name, text]) => {
      const lines = wrap(text, width - labelWidth).replaceAll('\n', `\n${' '.repeat(labelWidth)}`)
      return `${`  ${name}`.padEnd(labelWidth)}${lines}\n`
    })
    .join('')
}

/** How wide the lines may be: a file has no edge. */
export function widthOf({ isTTY, columns }: Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>): number {
  return isTTY ? columns || 80 : Number.POSITIVE_INFINITY
}
