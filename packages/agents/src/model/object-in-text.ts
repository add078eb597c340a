import { extractCodeBlocks } from '@fenced/core'
import { asSchema, type FlexibleSchema } from 'ai'
import { describeMismatch, messageOf } from './describe-failure.ts'
import { escapeControlCharacters } from './tool-calls.ts'

/** How many places in a text are tried as the begin of an object. */
const maxBeginnings = 32

export type FoundObject<Value> =
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
    const parsed = parse(candidate)
    if (!parsed.ok) continue
    const checked = (await validate?.(parsed.value)) ?? { success: true, value: parsed.value as Value }
    if (checked.success) return { ok: true, value: checked.value }
    const { error } = checked
    reason ??= `it does not fit the schema: ${describeMismatch('cause' in error ? (error.cause ?? error) : error)}`
  }
  return { ok: false, reason: reason ?? 'there is no JSON in it' }
}

function* candidatesIn(text: string): Generator<string> {
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

/** Behind the bracket that closes the one at `begin`; -1 where none does. */
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

function parse(text: string): FoundObject<unknown> {
  try {
    return { ok: true, value: JSON.parse(escapeControlCharacters(text)) }
  } catch (error) {
    return { ok: false, reason: messageOf(error) }
  }
}
