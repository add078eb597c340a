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
    if (signal.aborted || !output.writable) throw outputClosed(signal)
    if (output.write(text)) return
    await once(output, 'drain', { signal }).catch(() => {
      throw outputClosed(signal)
    })
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

function outputClosed({ reason }: AbortSignal): FencedError {
  return new FencedError({
    code: 'OUTPUT_CLOSED',
    message: 'The conversation was stopped because the output that shows it was closed.',
    cause: reason,
  })
}
