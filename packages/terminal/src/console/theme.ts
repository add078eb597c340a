import { styleText } from 'node:util'
import type { AgentEvent } from '@fenced/agents'

type Color = 'yellow' | 'red' | 'green' | 'magenta' | 'blue' | 'cyan' | 'gray' | 'bold' | 'dim'

export interface Theme {
  /** Whether a program's colors are kept. All other escape sequences are shown as text. */
  readonly colors: boolean
  /** Width of the terminal; infinite for a file. */
  readonly columns: number
  readonly paint: (color: Color, text: string) => string
  /** How long a line across the page is, in characters. */
  readonly width: number
  /** How long a line of prose may be, in characters. A file has no edge. */
  readonly textWidth: number
}

/** The words of a transcript: AutoGen 0.2's for conversations, 0.4's for tasks. */
export interface ConsoleFormat {
  /** Text of an event, on separate lines; empty for most events. */
  text(event: AgentEvent, theme: Theme): string
  /** Ends the current line. */
  end(): string
}

/** Where a transcript is printed: a terminal, a file or a pipe. */
export type TranscriptOutput = NodeJS.WritableStream & {
  readonly isTTY?: boolean
  readonly columns?: number
}

const pageWidth = 80

/** Longer lines are hard to read. */
const widestProse = 100

export const plainTheme: Theme = {
  colors: false,
  columns: Number.POSITIVE_INFINITY,
  paint: (_, text) => text,
  width: pageWidth,
  textWidth: Number.POSITIVE_INFINITY,
}

/** @param colors - default: at a terminal; `NO_COLOR` and `FORCE_COLOR` in the environment decide otherwise. */
export function themeOf({ isTTY, columns = 0 }: TranscriptOutput, colors = hasColors(isTTY)): Theme {
  const isTerminal = isTTY === true
  return {
    colors,
    columns: isTerminal ? columns || pageWidth : Number.POSITIVE_INFINITY,
    paint: colors ? (color, text) => styleText(color, text, { validateStream: false }) : plainTheme.paint,
    width: isTerminal && columns > 0 ? Math.min(pageWidth, columns) : pageWidth,
    textWidth: isTerminal ? Math.min(widestProse, columns || pageWidth) : Number.POSITIVE_INFINITY,
  }
}

function hasColors(isTTY: boolean | undefined): boolean {
  const { NO_COLOR = '', FORCE_COLOR = '', TERM } = process.env
  if (NO_COLOR !== '') return false
  if (FORCE_COLOR !== '') return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false'
  return isTTY === true && TERM !== 'dumb'
}
