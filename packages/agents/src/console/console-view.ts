import { FencedError } from '@fenced/core'
import type { ChatEvent } from '../chat/chat-event.ts'
import type { ChatResult } from '../chat/chat-result.ts'
import type { Response, ResponseItem, TaskItem, TaskResult } from '../task/chat-agent.ts'
import { TaskTranscript, type TaskViewItem } from '../task-view/task-transcript.ts'
import { ChatTranscript } from './chat-transcript.ts'
import { lookOf, TextOutput, type TranscriptOutput } from './look.ts'

/** How a conversation or a task is shown. */
export interface ConsoleViewOptions {
  /** Default `process.stdout`. */
  readonly output?: TranscriptOutput
  /** Default: at a terminal, unless the environment says `NO_COLOR`. */
  readonly colors?: boolean
  /**
   * Shows what models say and programs write while it comes, and does not repeat it when the message is finished. Default
   * as in AutoGen: `false` for a conversation, which is shown in finished messages, and `true` for a task.
   */
  readonly live?: boolean
  /** Says why a conversation ends. Default `false`, as in AutoGen 0.2. */
  readonly showTermination?: boolean
  /**
   * Says for a task what models have used for each message, and at the end how many messages there were, why it ended, and
   * how long it took. Default `false`.
   */
  readonly showStatistics?: boolean
}

/**
 * Prints a conversation, or the work of an agent or a team, as AutoGen does. Questions to a person are shown by who asks
 * them, not here. Control characters of models and programs are made visible. A slow output slows down what is shown.
 *
 * @returns what it comes to; for events alone, the result of the outermost chat, or of the task.
 * @throws FencedError `OUTPUT_CLOSED` when nobody reads any more, which also ends what is shown; `CHAT_NOT_ENDED` for
 *   events without an end; what the chat or the task failed with.
 */
export async function consoleView<Result>(
  running: AsyncIterable<ChatEvent | TaskItem | ResponseItem> & PromiseLike<Result>,
  options?: ConsoleViewOptions,
): Promise<Result>
export async function consoleView(
  events: AsyncIterable<ChatEvent>,
  options?: ConsoleViewOptions,
): Promise<ChatResult>
export async function consoleView(
  items: AsyncIterable<TaskItem>,
  options?: ConsoleViewOptions,
): Promise<TaskResult>
export async function consoleView(
  items: AsyncIterable<ResponseItem>,
  options?: ConsoleViewOptions,
): Promise<Response>
export async function consoleView(
  events: AsyncIterable<ChatEvent | TaskItem | ResponseItem> & Partial<PromiseLike<unknown>>,
  options: ConsoleViewOptions = {},
): Promise<unknown> {
  const { output = process.stdout, colors, live, showTermination = false, showStatistics = false } = options
  const chat = new ChatTranscript({ live: live ?? false, showTermination })
  const task = new TaskTranscript({ live: live ?? true, showStatistics })
  const writer = new TextOutput(output)
  let result: ChatResult | TaskResult | Response | undefined
  try {
    for await (const event of events) {
      // A terminal may have become narrower.
      const look = lookOf(output, colors)
      const text = isOfTask(event) ? task.text(event, look) : `${task.interrupt()}${chat.text(event, look)}`
      await writer.write(text)
      // The outermost chat ends last.
      if (event.type === 'chat-end') result = event.result
      else if (event.type === 'TaskResult' || event.type === 'Response') result = event
    }
    await writer.write(`${task.interrupt()}${chat.interrupt()}`)
  } finally {
    writer.release()
  }
  return isAwaitable(events) ? await events : (result ?? notEnded())
}

/** What agents of teams do has names like classes; what happens in a chat has not. */
function isOfTask(event: ChatEvent | TaskItem | ResponseItem): event is TaskViewItem {
  return /^[A-Z]/.test(event.type)
}

function isAwaitable(events: object): events is PromiseLike<unknown> {
  return 'then' in events && typeof events.then === 'function'
}

function notEnded(): never {
  throw new FencedError({
    code: 'CHAT_NOT_ENDED',
    message:
      'The events ended before what they tell of did, so there is no result. Give all of them: up to the `chat-end` of a chat, the `TaskResult` of a task, the `Response` of an answer.',
  })
}
