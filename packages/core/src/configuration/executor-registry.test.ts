import { describe, expect, it } from 'vitest'
import { DriverExecutor } from '../engine/driver-executor.ts'
import { fakeExecutor } from '../engine/fake-driver.fixture.ts'
import { engineOptionsShape } from '../engine/options.ts'
import { parseOptions } from '../options/parse-options.ts'
import { z } from '../zod.ts'
import { createExecutor, loadExecutor, registerExecutor } from './executor-registry.ts'
import { givenOptions } from './to-component-config.ts'

const schema = z.strictObject({ ...engineOptionsShape, env: z.record(z.string(), z.string()).default({}) })

class Box extends DriverExecutor {
  readonly env: Readonly<Record<string, string>>

  constructor(options: z.input<typeof schema> = {}) {
    const settings = parseOptions(schema, options, 'Box')
    super({
      name: 'box',
      driver: { run: async () => ({ exitCode: 0 }) },
      options: settings,
      capabilities: {
        languages: ['python'],
        isolation: 'none',
        stateful: [],
        richOutput: false,
        network: 'open',
        limits: { memory: false, processes: false },
      },
      configuration: {
        provider: 'box',
        options: givenOptions(options, settings),
        secrets: ['env'],
      },
    })
    this.env = settings.env
  }
}

registerExecutor('box', (options) => new Box(options))

const error = (code: string, data: Readonly<Record<string, string>>) =>
  expect.objectContaining({ code, data })

describe('the config of an executor', () => {
  it('has the options that were given, and no default', () => {
    const box = new Box({ timeoutMs: 5, languages: undefined })
    expect(box.toConfig()).toEqual({ provider: 'box', version: 1, config: { timeoutMs: 5 } })
  })

  it('makes the executor again', () => {
    const config = JSON.parse(
      JSON.stringify(new Box({ timeoutMs: 5, executionPolicies: { python: false } }).toConfig()),
    )
    const loaded = loadExecutor(config)
    expect(loaded).toBeInstanceOf(Box)
    expect(loaded.toConfig?.()).toEqual(config)
    expect(loaded.capabilities.languages).toEqual([])
  })

  it('has no secret, asks for it, and takes it', () => {
    const config = new Box({ redact: ['hunter2'], env: { KEY: 'hunter2' } }).toConfig()
    expect(config).toEqual({ provider: 'box', version: 1, config: {}, omitted: ['env', 'redact'] })
    expect(() => loadExecutor(config)).toThrow(
      error('CONFIG_INCOMPLETE', { provider: 'box', option: 'env, redact' }),
    )
    const without = loadExecutor(config, { overrides: { env: undefined, redact: undefined } }) as Box
    expect(without.env).toEqual({})
    const overrides = { env: { KEY: 'hunter2' }, redact: ['hunter2'] }
    const loaded = loadExecutor(config, { overrides }) as Box
    expect(loaded.env).toEqual({ KEY: 'hunter2' })
    expect(loaded.toConfig()).toEqual(config)
  })

  it('is not there for a driver whose class does not say what it is made of', () => {
    expect(() => fakeExecutor().executor.toConfig()).toThrow(error('NOT_CONFIGURABLE', { executor: 'fake' }))
  })

  it('of another version is refused', () => {
    expect(() => loadExecutor({ provider: 'box', version: 2, config: {} })).toThrow(
      error('CONFIG_VERSION', { provider: 'box', version: '2', supportedVersion: '1' }),
    )
  })

  it('is refused by the options of the executor, whatever else is in it', () => {
    const config = { provider: 'box', version: 1, config: { timeoutMs: 5, shell: 'sh' } }
    expect(() => loadExecutor(config)).toThrow(error('INVALID_OPTIONS', { option: 'shell' }))
    expect(() => loadExecutor({ ...config, config: {} }, { overrides: { shell: 'sh' } })).toThrow(
      error('INVALID_OPTIONS', { option: 'shell' }),
    )
  })

  it.each(['commandline-local', 'jupyter', 'toString'])(
    'of a kind that is not registered (%s) names those that are',
    (executor) => {
      expect(() => loadExecutor({ provider: executor, version: 1, config: {} })).toThrow(
        error('UNKNOWN_EXECUTOR', { executor, known: expect.stringContaining('box') }),
      )
    },
  )
})

it('an executor is made by the name that it has itself, too', () => {
  registerExecutor('commandline-local', (options) => new Box(options))
  expect(createExecutor('local')).toBeInstanceOf(Box)
  expect(() => createExecutor('docker')).toThrow(
    error('UNKNOWN_EXECUTOR', {
      executor: 'docker',
      // Other tests of this process register theirs.
      known: expect.stringContaining('box, commandline-local'),
    }),
  )
})
