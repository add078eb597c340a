import type { RunContext } from '../running/run-with-events.ts'
import type { AskOptions } from './model-request.ts'
import type { Usage } from './usage.ts'

/** Whose model is asked, and in which run. */
export interface AskingAgent {
  readonly agent: string
  readonly run: RunContext
  /** Called with what each call has used. */
  readonly addUsage: (modelId: string, usage: Usage) => void
}

/** Asks a model. What happens meanwhile becomes events of the agent; its reasoning is also reported as a whole. */
export async function withModelEvents<Reply>(
  { agent, run, addUsage }: AskingAgent,
  ask: (options: AskOptions) => Promise<Reply>,
): Promise<Reply> {
  let content = ''
  const reply = await ask({
    signal: run.signal,
    onEvent: (event) => {
      if (event.type === 'reasoning-delta') content += event.text
      // What a model that failed has thought does not count.
      if (event.type === 'model-fallback') content = ''
      if (event.type === 'usage') addUsage(event.modelId, event.usage)
      return run.emit({ ...event, agent })
    },
  })
  if (content !== '') await run.emit({ type: 'thought', agent, content })
  return reply
}
