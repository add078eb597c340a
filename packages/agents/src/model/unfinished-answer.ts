import type { ModelReply } from './model-request.ts'

/** What a reason for an end says of an answer that is empty, or has no end; `undefined` of any other. */
export function describeUnfinished({
  text,
  toolCalls,
  finishReason,
  modelId,
}: ModelReply): string | undefined {
  if (finishReason === 'length') {
    return `The last answer of ${modelId} was cut off at its limit of tokens: raise modelOptions.maxOutputTokens, or ask for less.`
  }
  return text.trim() === '' && toolCalls.length === 0 ? `The last answer of ${modelId} is empty.` : undefined
}
