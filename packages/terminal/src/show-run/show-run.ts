import { markShown } from '@fenced/agents'
import type { CodeBlock, OutputFile } from '@fenced/core'
import { knownOptions, type OptionNames } from '@fenced/core/internal'
import { TextOutput, type TranscriptOutput, themeOf } from '../console/theme.ts'
import { type RunEvent, RunScreen } from './run-screen.ts'

/** Options of {@link showRun}. */
export interface ShowRunOptions {
  /** Stream to print to. Default `process.stdout`. */
  readonly output?: TranscriptOutput
  /**
   * Whether to use colors. Default: `true` at a terminal, unless `NO_COLOR` or `FORCE_COLOR` in the environment overrides this.
   */
  readonly colors?: boolean
  /**
   * Called for each file that a program created or changed. The returned text, such as an escape sequence that shows a picture,
   * is printed below the line that names the file. Default: nothing is printed.
   */
  readonly showFile?: (file: OutputFile) => string | undefined | Promise<string | undefined>
  /**
   * Blocks of an execution. The table then also lists blocks that were not reached, as not run. Default: the table lists the
   * printed programs.
   */
  readonly blocks?: readonly CodeBlock[]
  /** Whether to print a table of the programs, and the stop reason, at the end. Default `true`. */
  readonly summary?: boolean
}

const runOptionNames: OptionNames<ShowRunOptions> = {
  output: true,
  colors: true,
  showFile: true,
  blocks: true,
  summary: true,
}

/**
 * Prints a conversation, a task or an execution as it runs: speakers, numbered and highlighted programs, output as it arrives,
 * and results. No program is printed twice: for a new version, only the changes are printed. Lines are as wide as the terminal,
 * and a pipe receives no control sequences. `consoleView` prints in AutoGen's format instead.
 *
 * Each program is printed before the question about it, as `approveByPerson` with `brief` and `TerminalHumanInput` with
 * `words: 'plain'` require. Control characters from models and programs are printed as escapes.
 *
 * @returns The result of the run.
 * @throws FencedError `INVALID_OPTIONS`; `OUTPUT_CLOSED` when the output is closed, which also stops the run; errors from the run.
 */
export async function showRun<Result>(
  run: AsyncIterable<RunEvent> & PromiseLike<Result>,
  options: ShowRunOptions = {},
): Promise<Result> {
  const {
    output = process.stdout,
    colors,
    showFile,
    blocks,
    summary = true,
  } = knownOptions(options, runOptionNames, 'showRun()')
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
