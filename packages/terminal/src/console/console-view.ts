import type { AgentEvent, ChatResult, Response, TaskResult } from '@fenced/agents'
import { FencedError } from '@fenced/core'
import { knownOptions, type OptionNames } from '@fenced/core/internal'
import { ChatFormat } from './chat-format.ts'
import { printEvents } from './print-events.ts'
import { TaskFormat } from './task-format.ts'
import { type ConsoleFormat, type TranscriptOutput, themeOf } from './theme.ts'

/** Options of {@link consoleView}. */
export interface ConsoleViewOptions {
  /** Stream to print to. Default `process.stdout`. */
  readonly output?: TranscriptOutput
  /** Whether to use colors. Default: `true` at a terminal, unless the environment sets `NO_COLOR`. */
  readonly colors?: boolean
  /** Whether to print why a conversation ends. Default `false`, as in AutoGen 0.2. */
  readonly showTermination?: boolean
  /**
   * Whether to print, for a task, the usage of each message and, at the end, the number of messages, the stop reason and the
   * duration. Default `false`.
   */
  readonly showStatistics?: boolean
}

const viewOptionNames: OptionNames<ConsoleViewOptions> = {
  output: true,
  colors: true,
  showTermination: true,
  showStatistics: true,
}

/**
 * Prints a conversation, or the work of an agent or a team, in AutoGen's format: a conversation message by message, and a task's
 * model text as it arrives. `showRun` also prints the output of programs as it arrives. Questions are shown by `HumanInput`, not by this
 * view. Control characters from models and programs are printed as escapes. A slow output slows down the run.
 *
 * @returns The result of the run; for events without a run, the result of the outermost chat or task.
 * @throws FencedError `INVALID_OPTIONS`; `OUTPUT_CLOSED` when the output is closed, which also stops the run; `CHAT_NOT_ENDED` if the events stop
 *   before the end of the chat or task; errors from the chat or task.
 */
export async function consoleView<Result>(
  running: AsyncIterable<AgentEvent> & PromiseLike<Result>,
  options?: ConsoleViewOptions,
): Promise<Result>
export async function consoleView(
  events: AsyncIterable<AgentEvent>,
  options?: ConsoleViewOptions,
): Promise<ChatResult | TaskResult | Response>
export async function consoleView(
  events: AsyncIterable<AgentEvent> & Partial<PromiseLike<unknown>>,
  options: ConsoleViewOptions = {},
): Promise<unknown> {
  const { output = process.stdout, colors } = knownOptions(options, viewOptionNames, 'consoleView()')
  let format: ConsoleFormat | undefined
  let result: ChatResult | TaskResult | Response | undefined
  await printEvents(events, output, {
    of: (event) => {
      // The outermost chat ends last.
      if (event.type === 'chat-end' || event.type === 'task-end') result = event.result
      else if (event.type === 'response') result = event.response
      format ??= formatOf(event, options)
      // A terminal may have become narrower.
      return format.text(event, themeOf(output, colors))
    },
    end: () => format?.end() ?? '',
  })
  if ('then' in events) return await (events as PromiseLike<unknown>)
  if (result !== undefined) return result
  const message =
    'The events stop before the end of the chat, task or answer, so there is no result. Pass all of them, up to the `chat-end` of a chat, the `task-end` of a task, or the `response` of an answer.'
  throw new FencedError({ code: 'CHAT_NOT_ENDED', message })
}

/** A task is known by its first event, and shown as AutoGen 0.4 prints it; all else as 0.2 does. */
function formatOf({ type }: AgentEvent, options: ConsoleViewOptions): ConsoleFormat {
  const { showTermination = false, showStatistics = false } = options
  return type === 'task-start' ? new TaskFormat({ showStatistics }) : new ChatFormat({ showTermination })
}
