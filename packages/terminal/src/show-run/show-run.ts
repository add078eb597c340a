import { markShown } from '@fenced/agents/internal'
import type { CodeBlock, OutputFile } from '@fenced/core'
import { TextOutput, type TranscriptOutput, themeOf } from '../console/theme.ts'
import { type RunEvent, RunScreen } from './run-screen.ts'

/** Options of {@link showRun}. */
export interface ShowRunOptions {
  /** Where it is shown. Default `process.stdout`. */
  readonly output?: TranscriptOutput
  /** Default: at a terminal; `NO_COLOR` and `FORCE_COLOR` in the environment decide otherwise. */
  readonly colors?: boolean
  /**
   * Called for each file that a program made; what it returns is shown below the line that names the file: a picture as a
   * terminal's escape sequence. Default: nothing is shown.
   */
  readonly showFile?: (file: OutputFile) => string | undefined | Promise<string | undefined>
  /**
   * Blocks of an execution: the table lists blocks that were not reached as not run. Default: the table has the printed programs.
   */
  readonly blocks?: readonly CodeBlock[]
  /** Whether to print a table of the programs and the stop reason at the end. Default `true`. */
  readonly summary?: boolean
}

/**
 * Prints a conversation, a task, or an execution while it runs: speakers, programs with a number and in color, output as it
 * arrives, and results. No program is printed twice: a new version is printed as its changes. Lines are as wide as the terminal;
 * a pipe gets no control sequences. `consoleView` prints in AutoGen's words.
 *
 * Each program is printed before its question, as needed by `approveByPerson` with `brief` and by `TerminalHumanInput` with
 * `words: 'plain'`. Control characters of models and programs are shown as escapes.
 *
 * @returns the result of the run. @throws FencedError `OUTPUT_CLOSED` when the output is closed, which also ends the run; errors
 *   of the run.
 */
export async function showRun<Result>(
  run: AsyncIterable<RunEvent> & PromiseLike<Result>,
  { output = process.stdout, colors, showFile, blocks, summary = true }: ShowRunOptions = {},
): Promise<Result> {
  const screen = new RunScreen(output.isTTY === true, blocks)
  const writer = new TextOutput(output)
  try {
    for await (const event of run) {
      // A terminal may have become narrower.
      await writer.write(screen.text(event, themeOf(output, colors)))
      markShown(event, output)
      for (const file of showFile === undefined ? [] : filesOf(event)) {
        const shown = await showFile?.(file)
        if (shown !== undefined) await writer.write(`${shown}\n`)
      }
    }
    await writer.write(screen.interrupt())
    if (summary) await writer.write(screen.summary(themeOf(output, colors)))
  } finally {
    writer.release()
  }
  return await run
}

function filesOf(event: RunEvent): readonly OutputFile[] {
  const inner = event.type === 'code' ? event.event : event
  return inner.type === 'block-end' ? inner.result.files : []
}
