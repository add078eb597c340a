import { FencedError } from '@fenced/core'
import type { ChatEvent } from '../chat/chat-event.ts'
import type { ChatResult } from '../chat/chat-result.ts'
import { LiveTranscript } from './live-transcript.ts'
import { lookOf, type TranscriptOutput } from './look.ts'
import { TextOutput } from './text-output.ts'
import { terminationText, transcriptText } from './transcript-text.ts'

/** How a conversation is shown. */
export interface ConsoleViewOptions {
  /** Default `process.stdout`. */
  readonly output?: TranscriptOutput
  /** Default: at a terminal, unless the environment says `NO_COLOR`. */
  readonly colors?: boolean
  /**
   * Shows what models say and programs write while it comes, and does not repeat it when the message is finished.
   * Default `false`: finished messages only.
   */
  readonly live?: boolean
  /** Says why a conversation ends. Default `false`, as in AutoGen 0.2. */
  readonly showTermination?: boolean
}

/**
 * Prints a conversation as AutoGen does. Questions to a person are shown by who asks them, not here. Control characters of
 * models and programs are made visible. A slow output slows the conversation down.
 *
 * @returns what the chat comes to; for events alone, the result of the outermost chat.
 * @throws FencedError `OUTPUT_CLOSED` when nobody reads any more, which also ends the chat; `CHAT_NOT_ENDED` for events
 *   without an end; what the chat failed with.
 */
export async function consoleView<Result>(
  chat: AsyncIterable<ChatEvent> & PromiseLike<Result>,
  options?: ConsoleViewOptions,
): Promise<Result>
export async function consoleView(
  events: AsyncIterable<ChatEvent>,
  options?: ConsoleViewOptions,
): Promise<ChatResult>
export async function consoleView(
  events: AsyncIterable<ChatEvent> & Partial<PromiseLike<unknown>>,
  { output = process.stdout, colors, live = false, showTermination = false }: ConsoleViewOptions = {},
): Promise<unknown> {
  const transcript = live ? new LiveTranscript() : undefined
  const writer = new TextOutput(output)
  let result: ChatResult | undefined
  try {
    for await (const event of events) {
      // A terminal may have become narrower.
      const look = lookOf(output, colors)
      await writer.write(transcript?.text(event, look) ?? transcriptText(event, look))
      if (event.type === 'termination' && showTermination) {
        await writer.write(`${transcript?.interrupt() ?? ''}${terminationText(event.reason, look)}`)
      }
      // The outermost chat ends last.
      if (event.type === 'chat-end') result = event.result
    }
    await writer.write(transcript?.interrupt() ?? '')
  } catch (error) {
    // The line at hand is ended also when it is all over.
    await writer.write(transcript?.interrupt() ?? '').catch(() => {})
    throw error
  } finally {
    writer.release()
  }
  return isAwaitable(events) ? await events : (result ?? notEnded())
}

function isAwaitable(events: object): events is PromiseLike<unknown> {
  return 'then' in events && typeof events.then === 'function'
}

function notEnded(): never {
  throw new FencedError({
    code: 'CHAT_NOT_ENDED',
    message:
      'The events ended before the chat did, so there is no result. Give all events of a chat, up to its `chat-end`.',
  })
}
