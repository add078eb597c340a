import { describe, expect, it } from 'vitest'
import { z } from '../zod.ts'
import { jsonText, jsonValue } from './json-text.ts'
import { toolSchema } from './tool-schema.ts'

const data = {
  type: 'object',
  properties: { name: { type: 'string' }, times: { type: 'integer', default: 2 } },
  required: ['name'],
  additionalProperties: false,
}

/** As `jsonSchema()` of the AI SDK makes it. */
function ofSdk(jsonSchema: unknown, validate?: (value: unknown) => unknown) {
  return { [Symbol.for('vercel.ai.schema')]: true, jsonSchema, validate }
}

/** As a library makes it that knows no other. */
const standard = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value: unknown) =>
      typeof value === 'string'
        ? { value: value.trim() }
        : { issues: [{ message: 'must be a string', path: ['a', { key: 'b' }] }] },
    jsonSchema: { input: () => ({ type: 'string' }), output: () => ({ const: 'trimmed' }) },
  },
}

describe('a schema of a tool', () => {
  it.each([
    ['of zod', z.object({ name: z.string(), times: z.int().default(2) })],
    ['that is JSON Schema', data],
    ['of the AI SDK', ofSdk(data)],
    ['of the AI SDK that is made when it is needed', () => ofSdk(data)],
  ])('%s fills defaults in and refuses what is wrong', async (_, given) => {
    const { parse, jsonSchema } = toolSchema(given, 'input')
    await expect(parse({ name: 'a' })).resolves.toEqual({ name: 'a', times: 2 })
    await expect(parse({ name: 7 })).rejects.toThrow(/name/)
    expect(jsonSchema).toMatchObject({ required: ['name'] })
  })

  it('of another library is what Standard JSON Schema says', async () => {
    expect(toolSchema(standard, 'input').jsonSchema).toEqual({ type: 'string' })
    expect(toolSchema(standard, 'output').jsonSchema).toEqual({ const: 'trimmed' })
    await expect(toolSchema(standard, 'input').parse(' a ')).resolves.toBe('a')
    await expect(toolSchema(standard, 'input').parse(7)).rejects.toThrow('a.b: must be a string')
  })

  it('of the AI SDK has the last word on what it checks', async () => {
    const refused = { success: false, error: new Error('not today') }
    const checked = ofSdk(data, (value) => (value === 1 ? { success: true, value: 2 } : refused))
    await expect(toolSchema(checked, 'input').parse(1)).resolves.toBe(2)
    await expect(toolSchema(checked, 'input').parse(2)).rejects.toThrow('not today')
  })

  it('that is none takes anything', async () => {
    await expect(toolSchema(undefined, 'input').parse({ a: 1 })).resolves.toEqual({ a: 1 })
  })

  it.each([
    ['a number', 7, /no schema/],
    ['a promise of one', ofSdk(Promise.resolve(data)), /await it/],
  ])('cannot be %s', (_, given, message) => {
    expect(() => toolSchema(given, 'input')).toThrow(message)
  })
})

describe('JSON with bytes', () => {
  it.each([
    ['an array of bytes', new Uint8Array([0, 255])],
    ['a part of one', new Uint8Array([9, 0, 255, 9]).subarray(1, 3)],
    ['a Buffer', Buffer.from([0, 255])],
  ])('carries %s', (_, bytes) => {
    expect(jsonText({ bytes })).toBe('{"bytes":{"$bytes":"AP8="}}')
    expect(jsonValue(jsonText([bytes]))).toEqual([new Uint8Array([0, 255])])
  })

  it('knows bytes by the one key alone', () => {
    expect(jsonValue('{"$bytes":"AP8=","other":1}')).toEqual({ $bytes: 'AP8=', other: 1 })
    expect(jsonValue('{"$bytes":7}')).toEqual({ $bytes: 7 })
  })

  it('has no number that JSON has not, and nothing that changes a prototype', () => {
    expect(() => jsonText({ number: Number.NaN })).toThrow('NaN is not JSON')
    expect(jsonText(undefined)).toBe('null')
    expect(Object.keys(jsonValue('{"__proto__":{"a":1},"b":2}') as object)).toEqual(['b'])
  })
})
