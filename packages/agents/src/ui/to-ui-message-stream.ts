import type { Notice } from '@fenced/core'
import { knownOptions } from '@fenced/core/internal'
import {
  createUIMessageStream,
  type IdGenerator,
  type UIMessageStreamOnEndCallback,
  type UIMessageStreamWriter,
} from 'ai'
import type { AgentEvent, ChatResult, TaskResult } from '../event.ts'
import { RunParts } from './run-parts.ts'
import type { AgentUIChunk, AgentUIMessage } from './ui-message.ts'

/** Options of {@link toUIMessageStream}: those of the AI SDK's `createUIMessageStream`. */
export interface ToUIMessageStreamOptions {
  /**
   * Returns the text of an error for the page. The error of a run may contain paths and texts of this machine.
   *
   * @default 'An error occurred.'
   */
  readonly onError?: ((error: unknown) => string) | undefined
  /** Messages of the chat so far. With them, the response has an id and can be saved in `onEnd`. @default none */
  readonly originalMessages?: AgentUIMessage[] | undefined
  /** Called with the complete message when the stream ends. */
  readonly onEnd?: UIMessageStreamOnEndCallback<AgentUIMessage> | undefined
  /** Creates the id of the message. @default the AI SDK's */
  readonly generateId?: IdGenerator | undefined
}

/** A running task or conversation, or the `shareReplay` of one. */
type AgentRun = PromiseLike<unknown> & AsyncIterable<AgentEvent | RunNotice>

interface RunNotice {
  readonly type: 'notice'
  readonly notice: Notice
}

/**
 * Converts a run of an agent, a conversation or a team to an AI SDK UI message stream, for `useChat<AgentUIMessage>()` and AI
 * Elements. What models write becomes text and reasoning, tool calls become dynamic tools, and everything else becomes
 * {@link AgentUIDataParts}. The stream ends with `finish`, with `abort` if the run was cancelled, or with `error` if it failed.
 *
 * If the reader cancels the stream, as when a browser disconnects, the run is cancelled. With `shareReplay(run)`, only this reader
 * leaves, and the run continues.
 *
 * @throws FencedError `EVENTS_ITERATED_TWICE` if the events of the run are read elsewhere; `INVALID_OPTIONS`.
 * @example
 * ```ts
 * const stream = toUIMessageStream(team.run(task))
 * return createUIMessageStreamResponse({ stream })
 * ```
 */
export function toUIMessageStream(
  run: AgentRun,
  options: ToUIMessageStreamOptions = {},
): ReadableStream<AgentUIChunk> {
  const names = { onError: true, originalMessages: true, onEnd: true, generateId: true } as const
  const { onError, originalMessages, onEnd, generateId } = knownOptions(options, names, 'toUIMessageStream()')
  const events = run[Symbol.asyncIterator]()
  const stream = createUIMessageStream<AgentUIMessage>({
    execute: ({ writer }) => writeRun({ run, events }, writer),
    ...(onError === undefined ? {} : { onError }),
    ...(originalMessages === undefined ? {} : { originalMessages }),
    ...(onEnd === undefined ? {} : { onEnd }),
    ...(generateId === undefined ? {} : { generateId }),
  })
  return endedBy(stream, async () => {
    await events.return?.()
  })
}

interface ReadRun {
  readonly run: PromiseLike<unknown>
  readonly events: AsyncIterator<AgentEvent | RunNotice>
}

async function writeRun(
  { run, events }: ReadRun,
  writer: UIMessageStreamWriter<AgentUIMessage>,
): Promise<void> {
  const parts = new RunParts((chunk) => writer.write(chunk))
  writer.write({ type: 'start' })
  try {
    for (let next = await events.next(); next.done !== true; next = await events.next())
      parts.add({ id: '', createdAt: '', agent: '', ...next.value })
    const end = endOf(await run)
    parts.end(end.status === 'waiting')
    writer.write(chunkOf(end))
  } catch (error) {
    parts.end()
    // A reply has no status: it rejects when it is cancelled.
    if ((error as Partial<Error> | undefined)?.name !== 'AbortError') throw error
    writer.write({ type: 'abort' })
  }
}

type RunEnd = Partial<Pick<ChatResult | TaskResult, 'status' | 'usage' | 'stopReason'>>

/** The queue of `initiateChats` has several results, and `send` has none. */
function endOf(result: unknown): RunEnd {
  return ([result].flat().at(-1) as RunEnd | null | undefined) ?? {}
}

function chunkOf({ status, usage, stopReason }: RunEnd): AgentUIChunk {
  if (status === 'cancelled') return { type: 'abort', ...(stopReason && { reason: stopReason }) }
  const metadata = { ...(usage && { usage }), ...(stopReason && { stopReason }) }
  return { type: 'finish', messageMetadata: metadata }
}

/** Calls `leave` where the reader of a stream cancels it: versions of the AI SDK differ there. */
function endedBy<Chunk>(stream: ReadableStream<Chunk>, leave: () => Promise<void>): ReadableStream<Chunk> {
  const reader = stream.getReader()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    async cancel(reason) {
      await Promise.all([reader.cancel(reason), leave()])
    },
  })
}
