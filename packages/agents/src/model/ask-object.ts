import { FencedError } from '@fenced/core'
import { asSchema, type FlexibleSchema, type ModelMessage, Output, UnsupportedFunctionalityError } from 'ai'
import { type CallOutcome, callModel, type ModelCall } from './call-model.ts'
import { lastErrorOf, statusOf } from './describe-failure.ts'
import { noObjectCode } from './model-errors.ts'
import type { ModelRequest } from './model-request.ts'
import { findObject } from './object-in-text.ts'
import { toModelMessages } from './to-model-messages.ts'
import type { UsageSummary } from './usage.ts'

/** What a model is asked for when the answer is to be an object. */
export interface ObjectRequest<Value> extends Omit<ModelRequest, 'tools'> {
  /** What the object has to fit: a zod schema, or any other that the AI SDK takes. */
  readonly schema: FlexibleSchema<Value>
  /** What it is, for providers that want a name. */
  readonly schemaName?: string | undefined
}

/** An object of a model. */
export interface ObjectReply<Value> {
  readonly object: Value
  /** Of the model that gave it. */
  readonly modelId: string
  /** Of all calls that it took, also of those that failed. */
  readonly usage: UsageSummary
}

/**
 * Makes the function that asks one model for an object.
 *
 * The schema is sent twice: in the instructions, and as the response format of the AI SDK, which models with structured
 * output keep to. A model that refuses the request is asked again without the format, so that one without structured
 * output only reads the instructions. Its object may then stand anywhere in its text. An answer without one, or with
 * one that does not fit, is sent back once, with the reason.
 */
export async function objectCaller<Value>({ schema, schemaName, ...request }: ObjectRequest<Value>) {
  const { messages, pictures } = request
  const instructions = await instructionsFor(schema, request.instructions)
  const output = Output.object({ schema, ...(schemaName === undefined ? {} : { name: schemaName }) })

  return async (
    call: Omit<ModelCall, 'prompt' | 'tools'>,
  ): Promise<CallOutcome<{ readonly object: Value; readonly modelId: string }>> => {
    const prompt = toModelMessages({ instructions, messages, pictures })
    const formatted = await callModel({ ...call, prompt, output })
    const isRefused = !formatted.ok && isRequestRefused(formatted.error)
    const answer = isRefused ? await callModel({ ...call, prompt }) : formatted
    if (!answer.ok) return answer
    const first = await findObject(answer.value.text, schema)
    if (first.ok) return found(first.value, answer.value.modelId)

    const complained = [...messages, ...complaint(answer.value.text, first.reason)]
    const again = await callModel({
      ...call,
      prompt: toModelMessages({ instructions, messages: complained, pictures }),
      ...(isRefused ? {} : { output }),
    })
    if (!again.ok) return again
    const second = await findObject(again.value.text, schema)
    return second.ok
      ? found(second.value, again.value.modelId)
      : { ok: false, error: noObject(first.reason, second.reason, await shapeOf(schema)) }
  }
}

async function instructionsFor(schema: FlexibleSchema<unknown>, instructions = ''): Promise<string> {
  const json = JSON.stringify(await asSchema(schema).jsonSchema)
  const task = `Answer with one JSON value and nothing else. It has to fit this JSON schema:\n${json}`
  return instructions.trim() === '' ? task : `${instructions}\n\n${task}`
}

function complaint(text: string, reason: string): readonly ModelMessage[] {
  const content = `Your answer cannot be used: ${reason}. Answer again, with the JSON value alone.`
  return [
    { role: 'assistant', content: text },
    { role: 'user', content },
  ]
}

/** Whether a model may be unable to do what was asked of it, in contrast to being out of reach. */
function isRequestRefused(error: unknown): boolean {
  const cause = lastErrorOf(error)
  if (UnsupportedFunctionalityError.isInstance(cause)) return true
  return [400, 422, 501].includes(statusOf(cause) ?? 0)
}

function found<Value>(object: Value, modelId: string) {
  return { ok: true as const, value: { object, modelId } }
}

function noObject(first: string, second: string, shape: string): FencedError {
  const more = first === second ? '' : ` Of its first answer, ${first}. It has to be JSON${shape}.`
  return new FencedError({
    code: noObjectCode,
    message: `Its answer cannot be used, after a second try: ${second}.${more}`,
  })
}

/** The names of what an object has: all that a sentence can hold of a schema. */
async function shapeOf(schema: FlexibleSchema<unknown>): Promise<string> {
  const { properties } = await asSchema(schema).jsonSchema
  return properties === undefined ? '' : ` with { ${Object.keys(properties).join(', ')} }`
}
