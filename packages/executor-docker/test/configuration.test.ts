import { type AskOptions, loadExecutor } from '@fenced/core'
import { DockerCommandLineCodeExecutor, type DockerExecutorOptions } from '@fenced/executor-docker'
import '@fenced/executor-docker/register'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dockerExecutorOptionsSchema } from '../src/docker-command-line-code-executor.ts'

const secret = fc.stringMatching(/^secret[a-z0-9]{16}$/)
const word = fc.stringMatching(/^[a-z]{2,8}$/)
const inside = word.map((name) => `/${name}`)
const variables = fc.dictionary(word, secret)
const orNone = (most: number) =>
  fc.oneof(fc.integer({ min: 2 ** 23, max: most }), fc.constant(false as const))

/** Every option that is plain data: one that is added is missed here by the compiler. */
const everyOption: {
  [Name in Exclude<keyof DockerExecutorOptions, keyof AskOptions>]-?: fc.Arbitrary<
    DockerExecutorOptions[Name]
  >
} = {
  timeoutMs: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
  maxWaitMs: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
  maxOutputBytes: fc.integer({ min: 2, max: 2 ** 30 }),
  onOutputLimit: fc.constantFrom('truncate', 'kill'),
  redact: fc.array(secret, { maxLength: 3 }),
  languages: fc.constant([
    { id: 'lua', aliases: [], extension: 'lua', comments: [{ open: '--' }], kind: 'run' as const },
  ]),
  executionPolicies: fc.record({ python: fc.boolean(), html: fc.constant(false) }, { requiredKeys: [] }),
  cleanupTempFiles: fc.boolean(),
  allowSharedWorkDir: fc.boolean(),
  missingPackages: fc.constantFrom('report', 'install'),
  installablePackages: fc.oneof(fc.constant('any' as const), fc.array(word)),
  image: fc.constantFrom('python:3-slim', 'registry.example.com/team/image:1'),
  pull: fc.constantFrom('missing', 'always', 'never'),
  platform: fc.constantFrom('linux/amd64', 'linux/arm/v7'),
  build: fc.record({ context: word, dockerfile: word, buildArgs: fc.dictionary(word, word), target: word }),
  packages: fc.array(word, { maxLength: 3 }),
  requirements: fc.oneof(word, fc.array(word)),
  installNetwork: word,
  installEnv: variables,
  installTimeoutMs: fc.integer({ min: 1, max: 9_999 }),
  env: variables,
  network: fc.oneof(fc.constant('none'), word),
  memoryBytes: orNone(2 ** 40),
  cpus: fc.oneof(fc.constantFrom(0.5, 2, 7.25), fc.constant(false as const)),
  pids: fc.oneof(fc.integer({ min: 16, max: 9_999 }), fc.constant(false as const)),
  user: fc.constantFrom('1000:1000', 'nobody'),
  runtime: word,
  diskBytes: fc.integer({ min: 65_536, max: 2 ** 40 }),
  readOnlyRoot: fc.boolean(),
  addCapabilities: fc.array(word, { maxLength: 2 }),
  noNewPrivileges: fc.boolean(),
  init: fc.boolean(),
  volumes: fc.array(fc.record({ source: word, target: inside }), { maxLength: 2 }),
  gpus: fc.oneof(
    fc.constant('all' as const),
    fc.integer({ min: 1, max: 8 }),
    fc.array(word, { minLength: 1 }),
  ),
  extraHosts: fc.dictionary(word, word),
  initCommand: word,
  createOptions: fc.record(
    {
      Env: fc.array(secret.map((value) => `KEY=${value}`)),
      Hostname: word,
      HostConfig: fc.record(
        { ShmSize: fc.nat(), LogConfig: fc.record({ Config: fc.dictionary(word, secret) }) },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: [] },
  ),
  allowWeakerIsolation: fc.boolean(),
  containerName: word,
  stopContainer: fc.boolean(),
  warm: fc.oneof(fc.boolean(), fc.record({ preload: fc.array(fc.constantFrom('json', 'numpy')) })),
  figures: fc.boolean(),
  stateful: fc.boolean(),
  checkpoints: fc.integer({ min: 0, max: 1_000 }),
  checkpoint: fc.constantFrom('block', 'call'),
  checkpointBytes: fc.integer({ min: 0, max: 2 ** 40 }),
  maxLifetimeMs: fc.integer({ min: 0, max: 2 ** 40 }),
  idleTimeoutMs: fc.integer({ min: 0, max: 2 ** 40 }),
  killGraceMs: fc.integer({ min: 0, max: 60_000 }),
  workDir: word,
  workDirMode: fc.constantFrom('auto', 'bind', 'copy'),
  bindDir: inside,
  docker: fc.constantFrom(
    '/run/docker.sock',
    { context: 'remote' },
    { host: 'tcp://host:2376', tls: { caFile: 'ca.pem', certFile: 'cert.pem', keyFile: 'key.pem' } },
  ),
}

const options = fc
  .record(everyOption, { requiredKeys: [] })
  .map((given) =>
    given.stopContainer === false ? { ...given, containerName: 'kept', workDir: 'kept' } : given,
  )
  .filter((given) => dockerExecutorOptionsSchema.safeParse(given).success)

describe('the config of a Docker executor', () => {
  it('makes the same executor again, whatever its options are', () => {
    fc.assert(
      fc.property(options, (given) => {
        const executor = new DockerCommandLineCodeExecutor(given)
        const config = executor.toConfig()
        const named = new Set([
          ...Object.keys(config.config),
          ...(config.omitted ?? []).map((path) => path.split('.')[0]),
        ])
        expect([...named].sort()).toEqual(Object.keys(given).sort())
        expect({ ...given, ...config.config }).toMatchObject(withoutSecrets(given))
        const text = JSON.stringify(config)
        for (const [value] of JSON.stringify(given).matchAll(/secret[a-z0-9]{16}/g))
          expect(text).not.toContain(value)
        const overrides = Object.fromEntries(
          (config.omitted ?? []).map((path) => [path, path.split('.').reduce(fieldOf, given)]),
        )
        const loaded = loadExecutor(JSON.parse(text), { overrides })
        expect(loaded).toBeInstanceOf(DockerCommandLineCodeExecutor)
        expect(loaded.toConfig?.()).toEqual(config)
        expect(loaded.capabilities).toEqual(executor.capabilities)
        if (given.workDir !== undefined) expect(loaded.workDir).toBe(executor.workDir)
      }),
    )
  })

  it('loads without its secrets when it is told to do without', () => {
    const executor = new DockerCommandLineCodeExecutor({
      createOptions: { Env: ['KEY=k'], Hostname: 'here' },
      installEnv: { PIP_INDEX_URL: 'https://ann:pw@example.com' },
    })
    const config = executor.toConfig()
    expect(config.omitted).toEqual(['createOptions.Env', 'installEnv'])
    const loaded = loadExecutor(config, {
      overrides: { installEnv: undefined, 'createOptions.Env': undefined },
    })
    expect(loaded.toConfig?.().config).toEqual({ createOptions: { Hostname: 'here' } })
  })

  it('asks for packages of an address with a password', () => {
    const packages = ['tool @ git+https://ann:pw@example.com/tool']
    const config = new DockerCommandLineCodeExecutor({ packages }).toConfig()
    expect(config).toMatchObject({ config: {}, omitted: ['packages'] })
    expect(() => loadExecutor(config)).toThrow(expect.objectContaining({ code: 'CONFIG_INCOMPLETE' }))
  })

  it('still refuses what could weaken the isolation', () => {
    const config = { createOptions: { HostConfig: { Privileged: true } } }
    expect(() => loadExecutor({ provider: 'commandline-docker', version: 1, config })).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTIONS',
        data: { option: 'createOptions', fields: 'HostConfig.Privileged', needed: 'allowWeakerIsolation' },
      }),
    )
  })
})

/** What stands in a config as it was given. */
function withoutSecrets({ createOptions: _, ...given }: DockerExecutorOptions): DockerExecutorOptions {
  return given
}

const fieldOf = (value: unknown, name: string): unknown => (value as Record<string, unknown>)[name]
