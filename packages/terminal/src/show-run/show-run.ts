import type { CodeBlock, OutputFile } from '@fenced/core'
import { knownOptions, type OptionNames } from '@fenced/core/internal'
import { printEvents } from '../console/print-events.ts'
import { type TranscriptOutput, themeOf } from '../console/theme.ts'
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
  const shown = (file: OutputFile) => showFile?.(file)
  await printEvents(run, output, {
    of: async (event) => {
      // A terminal may have become narrower.
      const text = screen.text(event, themeOf(output, colors))
      const pictures = await Promise.all(filesOf(event).map(shown))
      return [
        text,
        ...pictures.filter((picture) => picture !== undefined).map((picture) => `${picture}\n`),
      ].join('')
    },
    end: () => `${screen.interrupt()}${summary ? screen.summary(themeOf(output, colors)) : ''}`,
  })
  return await run
}

function filesOf(event: RunEvent): readonly OutputFile[] {
  const inner = event.type === 'code' ? event.event : event
  return inner.type === 'block-end' ? inner.result.files : []
}
