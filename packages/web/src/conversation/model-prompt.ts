import { contentWith, toModelMessages } from '@fenced/agents'
import type { MimeBundle } from '@fenced/core'
import { toolPicturesSchema } from '@fenced/core/internal'
import { picturesOf } from '@fenced/core/tool'
import type { ModelMessage } from 'ai'
import type { EventLog } from '../event-log.ts'
import type { WebModel } from '../options.ts'
import type { PromptMessage } from './prompt-window.ts'

interface Prompt {
  readonly id: string
  readonly log: EventLog
  readonly messages: readonly PromptMessage[]
  readonly pictures: WebModel['pictures']
}

/** Number of recent runs whose pictures models receive. */
const maxRuns = 20

/** What a model is given of a conversation. */
export function modelPrompt({ id, log, messages, pictures }: Prompt): ModelMessage[] {
  const bound = toolPicturesSchema.parse(pictures)
  if (bound === undefined) return toModelMessages({ messages }).messages
  const runs = new Set(messages.filter(({ run }) => run !== undefined).slice(-maxRuns))
  const shown = messages.map((message): ModelMessage => {
    const { role, content, run } = message
    if (run === undefined || !runs.has(message)) return { role, content }
    const results = resultsOf(log.results(id, run))
    return { role: 'user', content: contentWith(content, picturesOf({ blocks: [{ results }] }, bound)) }
  })
  return toModelMessages({ messages: shown, pictures: true }).messages
}

/** What was shown in the end: a display that a program has changed is one. */
function resultsOf(events: ReturnType<EventLog['results']>): readonly { readonly data: MimeBundle }[] {
  const results = new Map<string | symbol, { readonly data: MimeBundle }>()
  for (const { result, displayId = Symbol('result') } of events) results.set(displayId, { data: result })
  return [...results.values()]
}
