import { type AskOptions, loadExecutor } from '@fenced/core'
import { LocalCommandLineCodeExecutor, type LocalExecutorOptions } from '@fenced/executor-local'
import '@fenced/executor-local/register'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { localExecutorOptionsSchema } from '../src/options.ts'

const secret = fc.stringMatching(/^secret[a-z0-9]{16}$/)
const word = fc.stringMatching(/^[a-z]{1,8}$/)
const language = fc.record({
  id: fc.stringMatching(/^x[a-z]{3,8}$/),
  aliases: fc.constant([]),
  extension: word,
  comments: fc.array(fc.record({ open: fc.constantFrom('#', '--') }), { maxLength: 2 }),
  kind: fc.constantFrom('run' as const, 'save' as const, 'data' as const),
})

/** Every option that is plain data: one that is added is missed here by the compiler. */
const everyOption: {
  [Name in Exclude<keyof LocalExecutorOptions, keyof AskOptions>]-?: fc.Arbitrary<LocalExecutorOptions[Name]>
} = {
  timeoutMs: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
  maxWaitMs: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
  maxOutputBytes: fc.integer({ min: 2, max: 2 ** 30 }),
  onOutputLimit: fc.constantFrom('truncate', 'kill'),
  redact: fc.array(secret, { maxLength: 3 }),
  languages: fc.uniqueArray(language, { maxLength: 2, selector: ({ id }) => id }),
  executionPolicies: fc.record({ python: fc.boolean(), html: fc.constant(false) }, { requiredKeys: [] }),
  cleanupTempFiles: fc.boolean(),
  allowSharedWorkDir: fc.boolean(),
  missingPackages: fc.constant('report'),
  installablePackages: fc.oneof(fc.constant('any' as const), fc.array(word)),
  workDir: word.map((name) => `./${name}`),
  env: fc.dictionary(word, secret),
  inheritEnv: fc.boolean(),
  python: word,
  isolation: fc.constantFrom('none', 'bubblewrap'),
  network: fc.constantFrom('none' as const, 'open' as const),
  readable: fc.array(word.map((name) => `/${name}/${name}`)),
  memoryBytes: fc.oneof(fc.integer({ min: 2 ** 23, max: 2 ** 40 }), fc.constant(false as const)),
  pids: fc.oneof(fc.integer({ min: 16, max: 2 ** 20 }), fc.constant(false as const)),
  cpus: fc.double({ min: 0.01, max: 64, noNaN: true }),
  warm: fc.oneof(fc.boolean(), fc.record({ preload: fc.array(fc.constantFrom('json', 'numpy')) })),
  figures: fc.boolean(),
  stateful: fc.boolean(),
  checkpoints: fc.integer({ min: 0, max: 1_000 }),
  checkpoint: fc.constantFrom('block', 'call'),
  checkpointBytes: fc.integer({ min: 0, max: 2 ** 40 }),
  killGraceMs: fc.integer({ min: 0, max: 60_000 }),
}

const options = fc
  .record(everyOption, { requiredKeys: [] })
  .filter((given) => localExecutorOptionsSchema.safeParse(given).success)

const secretsOf = ({ env = {}, redact = [] }: LocalExecutorOptions) => [...Object.values(env), ...redact]

describe('the config of a local executor', () => {
  it('makes the same executor again, whatever its options are', () => {
    fc.assert(
      fc.property(options, (given) => {
        const executor = new LocalCommandLineCodeExecutor(given)
        const { config, omitted = [] } = executor.toConfig()
        expect([...Object.keys(config), ...omitted].sort()).toEqual(Object.keys(given).sort())
        expect(JSON.parse(JSON.stringify({ ...given, ...config }))).toEqual(JSON.parse(JSON.stringify(given)))
        const text = JSON.stringify(executor.toConfig())
        for (const value of secretsOf(given)) expect(text).not.toContain(value)
        const { env, redact } = given
        const overrides = { ...(env && { env }), ...(redact && { redact }) }
        const loaded = loadExecutor(JSON.parse(text), { overrides })
        expect(loaded).toBeInstanceOf(LocalCommandLineCodeExecutor)
        expect(loaded.toConfig?.()).toEqual(executor.toConfig())
        expect(loaded.capabilities).toEqual(executor.capabilities)
        if (given.workDir !== undefined) expect(loaded.workDir).toBe(executor.workDir)
      }),
    )
  })

  it('leaves secrets of its network out, and names them', () => {
    const secrets = { TOKEN: { value: 'secret-value', hosts: ['api.example.com'] } }
    const network = { allowedHosts: ['api.example.com'], secrets } as const
    const executor = new LocalCommandLineCodeExecutor({ isolation: 'bubblewrap', network })
    expect(executor.toConfig().omitted).toEqual(['network.secrets'])
    expect(JSON.stringify([executor.toConfig(), executor.capabilities])).not.toContain('secret-value')
  })

  it('has every option that is no secret, and names the others', () => {
    const all: LocalExecutorOptions = {
      ...{ timeoutMs: 5, maxOutputBytes: 10, onOutputLimit: 'kill', cleanupTempFiles: false },
      ...{ executionPolicies: { sh: false }, installablePackages: ['pandas'], workDir: 'here', python: 'py' },
      ...{ inheritEnv: true, isolation: 'bubblewrap', network: 'open', killGraceMs: 7 },
      ...{ memoryBytes: 2 ** 30, pids: false },
      ...{ missingPackages: 'report', languages: [] },
    }
    const executor = new LocalCommandLineCodeExecutor({ ...all, env: { KEY: 'k' }, redact: ['k3y'] })
    expect(executor.toConfig()).toEqual({
      provider: 'commandline-local',
      version: 1,
      config: all,
      omitted: ['env', 'redact'],
    })
  })

  it('has no directory where none was given: the temporary one is made again', async () => {
    await using executor = new LocalCommandLineCodeExecutor()
    await executor.start()
    expect(executor.toConfig().config).toEqual({})
  })

  it('says that an installer is a function, and takes it when it is loaded', () => {
    const installPackages = async () => {}
    const executor = new LocalCommandLineCodeExecutor({ missingPackages: 'install' }, { installPackages })
    expect(() => executor.toConfig()).toThrow(
      expect.objectContaining({
        code: 'NOT_CONFIGURABLE',
        data: { option: 'installPackages', provider: 'commandline-local' },
      }),
    )
    const config = executor.toConfig({ omit: ['installPackages'] })
    const loaded = loadExecutor(config, { overrides: { installPackages } })
    expect(loaded.capabilities.installablePackages).toEqual([])
    expect(() => loadExecutor(config, { overrides: { installPackages: undefined } })).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTIONS',
        data: { executor: 'local', option: 'missingPackages' },
      }),
    )
  })

  it('is not read as code', () => {
    const config = { installPackages: 'process.exit(1)' }
    expect(() => loadExecutor({ provider: 'commandline-local', version: 1, config })).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTIONS' }),
    )
  })
})
