import { once } from 'node:events'
import { markShown } from '@fenced/agents'
import { FencedError } from '@fenced/core'
import type { TranscriptOutput } from './theme.ts'

interface EventTexts<Event> {
  of(event: Event): string | Promise<string>
  /** Called after the last event. */
  end(): string
}

/** Prints the text of each event with back pressure. @throws FencedError `OUTPUT_CLOSED`. */
export async function printEvents<Event extends Parameters<typeof markShown>[0]>(
  events: AsyncIterable<Event>,
  output: TranscriptOutput,
  texts: EventTexts<Event>,
): Promise<void> {
  const gone = new AbortController()
  const { signal } = gone
  const onGone = (error?: unknown) => gone.abort(error)
  const write = async (text: string) => {
    if (text === '') return
    const isOpen = !signal.aborted && output.writable
    if (isOpen && output.write(text)) return
    const drained = isOpen && (await once(output, 'drain', { signal }).catch(() => undefined))
    if (!drained)
      throw new FencedError({ code: 'OUTPUT_CLOSED', message: outputClosed, cause: signal.reason })
  }
  output.on('error', onGone).on('close', onGone)
  try {
    for await (const event of events) {
      await write(await texts.of(event))
      markShown(event, output)
    }
    await write(texts.end())
  } finally {
    output.off('error', onGone).off('close', onGone)
  }
}

const outputClosed = 'The conversation was stopped because the output that shows it was closed.'
