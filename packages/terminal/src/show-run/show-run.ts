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
   * The blocks of an execution that is shown by itself: those that it does not reach stand in the table as not run.
   * Default: the table has the programs that were shown.
   */
  readonly blocks?: readonly CodeBlock[]
  /** Whether a table of the programs and the reason of the end stand at the end. Default `true`. */
  readonly summary?: boolean
}

/**
 * Shows a conversation, a task, or an execution while it goes on: who speaks, programs with a number and in color, their
 * output as it comes, and how each ended. Nothing is shown twice: a new version of a program is shown by its changes.
 * Lines are as wide as the terminal; a pipe gets no control sequences. `consoleView` shows the same in AutoGen's words.
 *
 * Each program stands on the page before anybody is asked about it, as `approveByPerson` with `brief` and
 * `TerminalHumanInput` with `words: 'plain'` need it. Control characters of models and programs are made visible.
 *
 * @returns what awaiting it returns.
 * @throws FencedError `OUTPUT_CLOSED` when nobody reads any more, which also ends what is shown; what the run failed with.
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
