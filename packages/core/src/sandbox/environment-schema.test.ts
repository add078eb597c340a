import { expect, it } from 'vitest'
import { checkSpawn, environmentSchema, problemOfVariable } from './environment-schema.ts'

const refused = ['', 'A=B', 'I.J', 'A-B', '1A', 'é', 'A\0', ' A', 'A\n']

it.each(refused)('the name %j is refused, because a shell or an engine drops its variable', (name) => {
  expect(problemOfVariable(name, '')).toBeDefined()
  expect(environmentSchema.safeParse({ [name]: '' }).success).toBe(false)
  expect(() => checkSpawn(['sh'], { env: { [name]: '' } })).toThrow(
    expect.objectContaining({ code: 'INVALID_OPTIONS', data: { option: `env.${name}` } }),
  )
})

it.each(['A', '_', 'a_1', 'PATH'])('the name %j is accepted, with a value of any characters', (name) => {
  const env = { [name]: ' =\n\u{1f600}' }
  expect(environmentSchema.parse(env)).toEqual(env)
  expect(checkSpawn(['sh'], { env })).toEqual({ env })
})

it.each(['a\0', 'a\ud83d'])('the value and the argument %j are refused', (text) => {
  expect(problemOfVariable('A', text)).toBeDefined()
  expect(() => checkSpawn(['echo', text], {})).toThrow(
    expect.objectContaining({ code: 'INVALID_OPTIONS', data: { option: 'command.1' } }),
  )
})
