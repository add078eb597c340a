import { extractCodeBlocks, FencedError } from '@fenced/core'
import { asSchema, type FlexibleSchema, type ModelMessage, Output, UnsupportedFunctionalityError } from 'ai'
import type { UsageSummary } from '../usage.ts'
import { type CallOutcome, callModel, type ModelCall } from './call-model.ts'
import { describeMismatch, lastErrorOf, noObjectCode, statusOf } from './model-errors.ts'
import type { ModelRequest } from './model-request.ts'
import { toModelMessages } from './to-model-messages.ts'
import { repairJsonControlCharacters } from './tool-calls.ts'

/** What a model is asked for when the answer is to be an object. */
export interface ObjectRequest<Value> extends Omit<ModelRequest, 'tools'> {
  /** What the object has to fit: a zod schema, or any other that the AI SDK takes. */
  readonly schema: FlexibleSchema<Value>
  readonly schemaName?: string | undefined
}

export interface ObjectReply<Value> {
  readonly object: Value
  readonly modelId: string
  /** Of all calls that it took, also of those that failed. */
  readonly usage: UsageSummary
}

/**
 * Returns a function that requests an object from one model.
 *
 * The schema is sent twice: in the instructions, and as the response format of the AI SDK for models with structured output. If
 * a model refuses the request, it is repeated without the format. The object may then be anywhere in the text. An answer without
 * a valid object is sent back once, with the reason.
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
      : { ok: false, error: noObject(first.reason, second.reason, await propertiesOf(schema)) }
  }
}

async function instructionsFor(schema: FlexibleSchema<unknown>, instructions = ''): Promise<string> {
  const json = JSON.stringify(await asSchema(schema).jsonSchema)
  const task = `Answer with one JSON value only. It must match this JSON schema:\n${json}`
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

function noObject(first: string, second: string, properties: string): FencedError {
  const shape = properties === '' ? '' : ` with { ${properties} }`
  const more = first === second ? '' : ` Of its first answer, ${first}. It has to be JSON${shape}.`
  return new FencedError({
    code: noObjectCode,
    message: `Its answer could not be used, even after a second try: ${second}.${more}`,
    data: { reason: second, ...(first === second ? {} : { firstReason: first, properties }) },
  })
}

/** The names of what an object has: all that a sentence can hold of a schema. */
async function propertiesOf(schema: FlexibleSchema<unknown>): Promise<string> {
  const { properties } = await asSchema(schema).jsonSchema
  return Object.keys(properties ?? {}).join(', ')
}

/** How many places in a text are tried as the begin of an object. */
const maxBeginnings = 32

type FoundObject<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly reason: string }

/** Finds JSON that fits the schema: as the whole text, in a fenced block, or between words. */
export async function findObject<Value>(
  text: string,
  schema: FlexibleSchema<Value>,
): Promise<FoundObject<Value>> {
  const { validate } = asSchema(schema)
  let reason: string | undefined
  for (const candidate of candidatesIn(text)) {
    const value = parse(candidate)
    if (value === undefined) continue
    const checked = (await validate?.(value)) ?? { success: true, value: value as Value }
    if (checked.success) return { ok: true, value: checked.value }
    const { error } = checked
    reason ??= `it does not fit the schema: ${describeMismatch('cause' in error ? (error.cause ?? error) : error)}`
  }
  return { ok: false, reason: reason ?? 'there is no JSON in it' }
}

/** The answer itself comes before what a model thought. */
function* candidatesIn(text: string): Generator<string> {
  const thought = text.lastIndexOf(endOfThought)
  if (thought !== -1) yield* candidatesOf(text.slice(thought + endOfThought.length))
  yield* candidatesOf(text)
}

const endOfThought = '</think>'

function* candidatesOf(text: string): Generator<string> {
  yield text
  for (const { code } of extractCodeBlocks(text)) yield code
  let beginnings = 0
  for (let begin = nextBegin(text, 0); begin !== -1 && beginnings < maxBeginnings; beginnings++) {
    const end = endOfValue(text, begin)
    if (end !== -1) yield text.slice(begin, end)
    begin = nextBegin(text, end === -1 ? begin + 1 : end)
  }
}

function nextBegin(text: string, from: number): number {
  const index = text.slice(from).search(/[{[]/)
  return index === -1 ? -1 : from + index
}

/** Index after the bracket that closes the bracket at `begin`; -1 if there is no such bracket. */
function endOfValue(text: string, begin: number): number {
  let depth = 0
  let isInString = false
  for (let index = begin; index < text.length; index++) {
    const character = text[index]
    if (isInString && character === '\\') index++
    else if (character === '"') isInString = !isInString
    else if (!isInString && (character === '{' || character === '[')) depth++
    else if (!isInString && (character === '}' || character === ']') && --depth === 0) return index + 1
  }
  return -1
}

/** `undefined` if a text is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(repairJsonControlCharacters(text))
  } catch {
    return undefined
  }
}
