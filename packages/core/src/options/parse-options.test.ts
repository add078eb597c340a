import { inspect } from 'node:util'
import { FencedError } from '@fenced/errors'
import { expect, it } from 'vitest'
import { z } from '../zod.ts'
import { checkBlocks } from './check-blocks.ts'
import { parseOptions } from './parse-options.ts'

const options = z.strictObject({ zebra: z.string().optional(), giraffe: z.number().optional() })

function errorOf(call: () => unknown): FencedError {
  try {
    call()
  } catch (error) {
    if (FencedError.isInstance(error)) return error
  }
  throw new Error('The call did not throw a FencedError.')
}

/** The messages of the schema, which the message of the error contains. */
const issuesOf = ({ cause }: FencedError) => (cause as z.ZodError).issues.map(({ message }) => message)

it('lists the options once for several unknown options', () => {
  const error = errorOf(() => parseOptions(options, { first: 1, second: 2, zebar: 3 }, 'x'))
  expect(
    issuesOf(error)
      .join()
      .match(/`giraffe`/g),
  ).toHaveLength(1)
  expect(error.data).toEqual({ option: 'first, second, zebar', suggestion: 'zebra' })
})

it('gives the names here of options of a group chat of AutoGen', () => {
  const team = z.strictObject({ participants: z.unknown().optional(), maxTurns: z.unknown().optional() })
  const { data } = errorOf(() => parseOptions(team, { agents: [], maxRound: 3, max_round: 3 }, 'x'))
  expect(data).toEqual({
    option: 'agents, maxRound, max_round',
    suggestion: 'participants, maxTurns, maxTurns',
  })
})

it('prints each fault once, although the cause has the issues of the schema', () => {
  const { cause } = errorOf(() => parseOptions(options, { zebar: 3 }, 'x'))
  expect(cause).toMatchObject({ issues: [{ code: 'unrecognized_keys', keys: ['zebar'] }] })
  expect(inspect(cause)).not.toContain('zebar')
})

it('names what a schema accepts that is made at its first use', () => {
  const schema = z.union([z.lazy(() => z.string()), z.array(z.lazy(() => z.boolean()))])
  expect(issuesOf(errorOf(() => parseOptions(schema, 1, 'x')))).toEqual([
    'must be a string, or a list (of each: true or false)',
  ])
})

it('suggests extractCodeBlocks for a text in place of blocks', () => {
  const { code, data } = errorOf(() => checkBlocks('~~~python\nprint(1)\n~~~'))
  expect({ code, data }).toEqual({
    code: 'INVALID_OPTIONS',
    data: { option: '', suggestion: 'extractCodeBlocks' },
  })
})

it('names the value that is missing where no path names it', () => {
  const whole = errorOf(() => parseOptions(z.string(), undefined, 'x'))
  const part = errorOf(() => checkBlocks([{ language: 'sh' }]))
  expect([whole, part].flatMap(issuesOf)).toEqual([
    'The value is missing: it must be a string',
    'is missing: it must be a string',
  ])
})
