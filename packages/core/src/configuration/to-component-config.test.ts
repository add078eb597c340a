import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ComponentConfig, Configurable } from './component-config.ts'
import { toComponentConfig } from './to-component-config.ts'

const config = (options: Record<string, unknown>, more = {}, asked = {}): ComponentConfig =>
  toComponentConfig({ provider: 'box', options, ...more }, asked)

const secret = fc.string({ unit: fc.constantFrom(...'abcdefghjk0123456789'), minLength: 16, maxLength: 40 })

describe('the config of a component', () => {
  it('is a copy of its options that JSON keeps', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (options) => {
        fc.pre(!JSON.stringify(options).includes('__proto__') && !JSON.stringify(options).includes('://'))
        const data = JSON.parse(JSON.stringify(options))
        const made = config(data)
        fc.pre(made.omitted === undefined)
        expect(JSON.parse(JSON.stringify(made))).toEqual({ provider: 'box', version: 1, config: data })
      }),
    )
  })

  it('does not change with what it was made of', () => {
    const options = { list: ['a'] }
    const made = config(options)
    options.list.push('b')
    expect(made.config).toEqual({ list: ['a'] })
  })

  it('leaves fields out that are undefined, and secrets that are empty stay', () => {
    expect(config({ a: undefined, env: {} }, { secrets: ['env'] })).toEqual({
      provider: 'box',
      version: 1,
      config: { env: {} },
    })
  })

  it('names the secrets that it leaves out, in options and inside of them', () => {
    expect(
      config(
        { env: { KEY: 'k' }, server: { host: 'h', token: 't' }, name: 'n' },
        { secrets: ['env', 'server.token', 'other'] },
      ),
    ).toEqual({
      provider: 'box',
      version: 1,
      config: { server: { host: 'h' }, name: 'n' },
      omitted: ['env', 'server.token'],
    })
  })

  it.each([
    ['a login in an address', { packages: ['tool @ git+https://ann:pw@example.com/tool'] }],
    ['a token in the place of a user', { packages: ['tool @ git+https://token@example.com/tool'] }],
    ['a login of any protocol', { engine: 'tcp://ann:pw@example.com' }],
    ['a key among parameters', { index: 'https://example.com/simple?token=abc' }],
    ['a known secret', { command: 'login --with s3cret' }],
    ['a known secret as a name', { hosts: { s3cret: '1.2.3.4' } }],
  ])('leaves an option out whole that has %s', (_, options) => {
    const [name] = Object.keys(options)
    expect(config(options, { secretValues: ['s3cret'] })).toEqual({
      provider: 'box',
      version: 1,
      config: {},
      omitted: [name],
    })
  })

  it('keeps an address without a login', () => {
    const options = { engine: 'ssh://ann@example.com', index: 'https://example.com/simple?page=1' }
    expect(config(options).config).toEqual(options)
  })

  it('never holds a secret, wherever it stands', () => {
    fc.assert(
      fc.property(secret, fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), (value, others, name) => {
        fc.pre(!JSON.stringify(others).includes('__proto__'))
        const options = {
          ...others,
          env: { [name]: value },
          server: { token: value, nested: [{ deep: `x${value}y` }] },
          command: `curl -H ${value}`,
        }
        const description = { secrets: ['env', 'server.token'], secretValues: [value] }
        expect(JSON.stringify(config(options, description))).not.toContain(value)
      }),
    )
  })

  it.each([
    ['a function', { approve: () => true }, 'approve'],
    ['an object of a class', { when: new Date(0) }, 'when'],
    ['something in a list', { list: [1, [Number.NaN]] }, 'list.1.0'],
    ['an object with a function', { person: { ask: () => '' } }, 'person'],
    ['a hole in a list', { list: new Array(1) }, 'list.0'],
    ['a big number', { size: 1n }, 'size'],
    ['a field that changes what objects are', JSON.parse('{"a":{"__proto__":{}}}'), 'a'],
  ])('is refused for %s, which it names', (_, options, path) => {
    expect(() => config(options)).toThrow(
      expect.objectContaining({ code: 'NOT_CONFIGURABLE', data: { option: path, provider: 'box' } }),
    )
  })

  it('leaves out what it is told to, and names it', () => {
    const options = { approve: () => true, workDir: '/w', name: 'n' }
    expect(config(options, {}, { omit: ['approve', 'workDir', 'unknown'] })).toEqual({
      provider: 'box',
      version: 1,
      config: { name: 'n' },
      omitted: ['approve', 'workDir'],
    })
  })

  it('describes the components among its options, and hands on what they leave out', () => {
    const inner: Configurable = {
      toConfig: (asked) =>
        toComponentConfig(
          { provider: 'inner', options: { run: () => {}, env: { K: 'v' } }, secrets: ['env'] },
          asked,
        ),
    }
    const options = { place: inner }
    expect(() => config(options)).toThrow(
      expect.objectContaining({
        code: 'NOT_CONFIGURABLE',
        data: { option: 'place.run', provider: 'inner' },
      }),
    )
    expect(config(options, {}, { omit: ['place.run'] }).config).toEqual({
      place: { provider: 'inner', version: 1, config: {}, omitted: ['env', 'run'] },
    })
  })
})
