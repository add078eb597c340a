import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { omittedOptions } from './component-config.ts'
import { readComponentConfig } from './read-component-config.ts'

const inner = {
  provider: 'inner',
  version: 1,
  config: { server: { host: 'h' } },
  omitted: ['env', 'server.token'],
}
const outer = { provider: 'outer', version: 2, config: { name: 'n', parts: [inner] }, omitted: ['approve'] }
const answered = { approve: undefined, 'parts.0.env': undefined, 'parts.0.server.token': undefined }
const error = (code: string, data: Readonly<Record<string, string>>) =>
  expect.objectContaining({ code, data })

describe('a config from outside', () => {
  it('knows all that was left out of it', () => {
    expect(omittedOptions(outer)).toEqual(['approve', 'parts.0.env', 'parts.0.server.token'])
  })

  it('asks for all that was left out at once', () => {
    expect(() => readComponentConfig(outer, { overrides: { approve: undefined } })).toThrow(
      error('CONFIG_INCOMPLETE', { provider: 'outer', option: 'parts.0.env, parts.0.server.token' }),
    )
  })

  it('can do without it', () => {
    const { omitted: _, ...whole } = inner
    expect(readComponentConfig(outer, { overrides: answered })).toEqual({
      provider: 'outer',
      version: 2,
      config: { name: 'n', parts: [{ ...whole }] },
    })
  })

  it('takes values by their paths, also functions and objects', () => {
    const approve = () => true
    const env = { KEY: 'v' }
    const overrides = { ...answered, approve, 'parts.0.env': env, 'parts.0.server.token': 't', name: 'm' }
    expect(readComponentConfig(outer, { overrides }).config).toEqual({
      name: 'm',
      approve,
      parts: [{ provider: 'inner', version: 1, config: { env, server: { host: 'h', token: 't' } } }],
    })
  })

  it('takes a whole in the place of a part, whatever the part lacks', () => {
    const live = new Date(0)
    const overrides = { approve: undefined, 'parts.0': live }
    expect(readComponentConfig(outer, { overrides }).config).toEqual({ name: 'n', parts: [live] })
  })

  it('is not changed by that', () => {
    const before = structuredClone(outer)
    readComponentConfig(outer, { overrides: { ...answered, name: 'm' } })
    expect(outer).toEqual(before)
  })

  it.each([
    ['parts.7.env', '7'],
    ['name.first', 'name'],
    ['nothing.here', 'nothing'],
    ['constructor.prototype.polluted', 'constructor'],
    ['__proto__.polluted', '__proto__'],
  ])('refuses the path %s, which leads nowhere', (path, missing) => {
    const overrides = { ...answered, [path]: true }
    expect(() => readComponentConfig(outer, { overrides })).toThrow(
      error('INVALID_CONFIG', { option: path, missing }),
    )
    expect({}).not.toHaveProperty('polluted')
  })

  it('is refused when it is not a config', ({ everyRow }) =>
    everyRow(
      [
        ['nothing', undefined],
        ['null', null],
        ['a text', '{"provider":"box"}'],
        ['a list', []],
        ['a function', () => ({})],
        ['no provider', { version: 1, config: {} }],
        ['an empty provider', { provider: '', version: 1, config: {} }],
        ['no version', { provider: 'box', config: {} }],
        ['a version of 0', { provider: 'box', version: 0, config: {} }],
        ['half a version', { provider: 'box', version: 1.5, config: {} }],
        ['a version in words', { provider: 'box', version: '1', config: {} }],
        ['no options', { provider: 'box', version: 1 }],
        ['a list of options', { provider: 'box', version: 1, config: [] }],
        ['a field too many', { provider: 'box', version: 1, config: {}, command: 'rm' }],
        ['a wrong list of what was left out', { provider: 'box', version: 1, config: {}, omitted: [1] }],
        ['a function among the options', { provider: 'box', version: 1, config: { a: [() => {}] } }],
        ['a prototype', JSON.parse('{"provider":"box","version":1,"config":{"__proto__":{"polluted":1}}}')],
        [
          'a prototype of its own',
          JSON.parse('{"provider":"box","version":1,"config":{},"__proto__":{"a":1}}'),
        ],
        [
          'a prototype deep inside',
          JSON.parse('{"provider":"b","version":1,"config":{"a":[{"__proto__":[]}]}}'),
        ],
      ],
      (_, config) => {
        expect(() => readComponentConfig(config)).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }))
        expect({}).not.toHaveProperty('polluted')
      },
    ))

  it('is refused when it is deeper than any options are', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000)
    const config = JSON.parse(`{"provider":"box","version":1,"config":{"a":${deep}}}`)
    expect(() => readComponentConfig(config)).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }))
  })

  it('is taken or refused with INVALID_CONFIG or CONFIG_INCOMPLETE, whatever it is', () => {
    const field = fc.oneof(fc.constant({}), fc.jsonValue(), fc.constantFrom('box', 1))
    const config = fc.record(
      { provider: field, version: field, config: field, omitted: field },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(fc.oneof(fc.anything(), config), (value) => {
        try {
          expect(readComponentConfig(value)).toHaveProperty('provider')
        } catch (error) {
          expect(error).toHaveProperty('code', expect.stringMatching(/^(INVALID_CONFIG|CONFIG_INCOMPLETE)$/))
        }
      }),
    )
  })
})
