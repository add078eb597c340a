import { styleText } from 'node:util'

/** The colors of AutoGen's transcripts. */
type Color = 'yellow' | 'red' | 'green' | 'magenta' | 'blue'

/** How a transcript looks where it is shown. */
export interface Look {
  readonly paint: (color: Color, text: string) => string
  /** How long a line across the page is, in characters. */
  readonly width: number
}

/** Where a transcript is shown: a terminal, a file, a pipe. */
export type TranscriptOutput = NodeJS.WritableStream & {
  readonly isTTY?: boolean
  readonly columns?: number
}

/** A transcript's own width. */
const pageWidth = 80

export const plainLook: Look = { paint: (_, text) => text, width: pageWidth }

/** @param colors - default: only at a terminal, and not where the environment says `NO_COLOR`. */
export function lookOf({ isTTY, columns = 0 }: TranscriptOutput, colors = hasColors(isTTY)): Look {
  return {
    paint: colors ? (color, text) => styleText(color, text, { validateStream: false }) : plainLook.paint,
    width: isTTY === true && columns > 0 ? Math.min(pageWidth, columns) : pageWidth,
  }
}

function hasColors(isTTY: boolean | undefined): boolean {
  const { NO_COLOR = '', TERM } = process.env
  return isTTY === true && NO_COLOR === '' && TERM !== 'dumb'
}
