import type { ModelCallTrace } from '@fenced/core'
import { traced } from '@fenced/core/internal'
import type { CallOutcome, ModelCall } from './call-model.ts'
import { modelIdOf } from './model-errors.ts'

type Request = Omit<ModelCall, 'prompt' | 'tools'>

/** Makes one request to a model, as an operation on the tracing channel `fenced:chat`. */
export function tracedCall<Value>(
  request: Request,
  call: (request: Request) => Promise<CallOutcome<Value>>,
): Promise<CallOutcome<Value>> {
  const { model, tell } = request
  const provider = typeof model === 'string' ? 'gateway' : model.provider
  const trace: ModelCallTrace = { model: modelIdOf(model), provider }
  return traced('fenced:chat', trace, async () => {
    const outcome = await call({
      ...request,
      tell: (event) => {
        if (event.type === 'usage') trace.usage = event.usage
        return tell(event)
      },
    })
    if (outcome.ok) trace.finishReason = finishReasonOf(outcome.value)
    else trace.failure = outcome.error
    return outcome
  })
}

function finishReasonOf(value: unknown): string | undefined {
  const { finishReason } = Object(value) as { readonly finishReason?: string }
  return finishReason
}
