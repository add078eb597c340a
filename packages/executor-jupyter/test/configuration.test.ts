import { rootCertificates } from 'node:tls'
import { type AskOptions, type ComponentConfig, loadExecutor } from '@fenced/core'
import {
  JupyterCodeExecutor,
  type JupyterExecutorOptions,
  type JupyterServer,
  LocalJupyterServer,
  type LocalJupyterServerOptions,
} from '@fenced/executor-jupyter'
import { DockerJupyterServer, type DockerJupyterServerOptions } from '@fenced/executor-jupyter/docker'
import '@fenced/executor-jupyter/register'
import { certificateFile } from '@fenced/testing'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'

type Every<Options> = { [Name in Exclude<keyof Options, keyof AskOptions>]-?: fc.Arbitrary<Options[Name]> }

const secret = fc.stringMatching(/^secret[a-z0-9]{16}$/)
const word = fc.stringMatching(/^[a-z]{2,8}$/)
const variables = fc.dictionary(word, secret)
const startTimeoutMs = fc.integer({ min: 1, max: 3_600_000 })
const port = fc.integer({ min: 1, max: 65_535 })

/** Every option: one that is added is missed here by the compiler. */
const localServer: Every<LocalJupyterServerOptions> = {
  python: word,
  ip: fc.constant('127.0.0.1'),
  port,
  token: secret,
  env: variables,
  inheritEnv: fc.boolean(),
  startTimeoutMs,
}

const dockerServer: Every<DockerJupyterServerOptions> = {
  image: fc.constantFrom('python:3-slim', 'registry.example.com/team/image:1'),
  pull: fc.constantFrom('missing', 'always', 'never'),
  platform: fc.constantFrom('linux/amd64', 'linux/arm/v7'),
  build: fc.record({ context: word, dockerfile: word, buildArgs: fc.dictionary(word, word), target: word }),
  packages: fc.array(word, { maxLength: 3 }),
  requirements: fc.oneof(word, fc.array(word)),
  installNetwork: word,
  installTimeoutMs: fc.integer({ min: 1, max: 9_999 }),
  maxLifetimeMs: fc.integer({ min: 0, max: 9_999 }),
  installEnv: variables,
  baseImage: word,
  workDir: word,
  port,
  token: secret,
  env: variables,
  network: word,
  memoryBytes: fc.oneof(fc.integer({ min: 2 ** 26, max: 2 ** 40 }), fc.constant(false as const)),
  cpus: fc.oneof(fc.constantFrom(0.5, 2, 7.25), fc.constant(false as const)),
  pids: fc.oneof(fc.integer({ min: 32, max: 9_999 }), fc.constant(false as const)),
  user: fc.constantFrom('1000:1000'),
  runtime: word,
  docker: fc.constantFrom('/run/docker.sock', { context: 'remote' }),
  startTimeoutMs,
}

const server = fc.oneof(
  fc.record(
    {
      host: word,
      port,
      useHttps: fc.boolean(),
      token: secret,
      headers: variables,
      baseUrl: fc.constantFrom('/', '/user/ann/'),
      caFile: fc.constant(certificateFile(rootCertificates[0] ?? '')),
    },
    { requiredKeys: ['host'] },
  ),
  fc.record(localServer, { requiredKeys: [] }).map((given) => new LocalJupyterServer(given)),
  fc.record(dockerServer, { requiredKeys: [] }).map((given) => new DockerJupyterServer(given)),
)

const everyOption: Every<JupyterExecutorOptions> = {
  timeoutMs: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
  maxWaitMs: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
  maxOutputBytes: fc.integer({ min: 2, max: 2 ** 30 }),
  onOutputLimit: fc.constantFrom('truncate', 'kill'),
  redact: fc.array(secret, { maxLength: 3 }),
  languages: fc.constant([
    { id: 'lua', aliases: [], extension: 'lua', comments: [{ open: '--' }], kind: 'run' as const },
  ]),
  executionPolicies: fc.dictionary(fc.constantFrom('python', 'bash'), fc.boolean()),
  cleanupTempFiles: fc.boolean(),
  allowSharedWorkDir: fc.boolean(),
  missingPackages: fc.constant('report'),
  installablePackages: fc.oneof(fc.constant('any' as const), fc.array(word)),
  server,
  kernelId: word,
  kernelName: word,
  language: fc.constantFrom('python', 'bash', 'julia', 'py'),
  workDir: word,
  python: word,
  env: variables,
  inheritEnv: fc.boolean(),
  isolation: fc.constant('none'),
  network: fc.constant('open' as const),
  readable: fc.constant([]),
  memoryBytes: fc.constant(false),
  pids: fc.constant(false),
  cpus: fc.constant(false),
  warm: fc.oneof(fc.boolean(), fc.record({ preload: fc.array(fc.constantFrom('json', 'numpy')) })),
  interruptGraceMs: fc.integer({ min: 0, max: 600_000 }),
  startTimeoutMs,
  keepAliveMs: fc.integer({ min: 10, max: 3_600_000 }),
  reconnectTimeoutMs: fc.integer({ min: 0, max: 3_600_000 }),
}

/** A kernel that is running is one of a server. */
const options = fc.record(everyOption, { requiredKeys: [] }).map(({ kernelId, warm, ...given }) => {
  if (given.server === undefined) return { ...given, ...(warm === undefined ? {} : { warm }) }
  return kernelId === undefined ? given : { ...given, kernelId }
})

const json = (config: ComponentConfig): ComponentConfig => JSON.parse(JSON.stringify(config))

describe('the config of a Jupyter executor', () => {
  it('makes the same executor again, with its server, whatever its options are', () => {
    fc.assert(
      fc.property(options, secret, (given, found) => {
        const executor = new JupyterCodeExecutor(given)
        const config = executor.toConfig()
        const named = new Set([
          ...Object.keys(config.config),
          ...(config.omitted ?? []).map((path) => path.split('.')[0]),
        ])
        expect([...named].sort()).toEqual(Object.keys(given).sort())
        const text = JSON.stringify(config)
        expect(text).not.toMatch(/secret[a-z0-9]{16}/)
        const nested = (config.config.server as { omitted?: string[] } | undefined)?.omitted ?? []
        const overrides = Object.fromEntries(
          [...(config.omitted ?? []), ...nested.map((name) => `server.${name}`)].map((path) => [
            path,
            path.endsWith('oken') ? found : /env$|headers$/i.test(path) ? { KEY: found } : [found],
          ]),
        )
        const loaded = loadExecutor(JSON.parse(text), { overrides })
        expect(loaded).toBeInstanceOf(JupyterCodeExecutor)
        expect(loaded.toConfig?.()).toEqual(config)
        // Approvals are bound to the secrets, which are other ones here.
        const { approvalParticulars: _, ...promised } = executor.capabilities
        expect(loaded.capabilities).toMatchObject(promised)
      }),
    )
  })

  it.each([
    ['LocalJupyterServer', fc.record(localServer), (given: object) => new LocalJupyterServer(given)],
    ['DockerJupyterServer', fc.record(dockerServer), (given: object) => new DockerJupyterServer(given)],
  ] as const)('has every option of a %s', (provider, options, create) => {
    fc.assert(
      fc.property<[object]>(options, (given) => {
        const { config, omitted = [], ...kind } = create(given).toConfig()
        expect(kind).toEqual({ provider, version: 1 })
        expect([...Object.keys(config), ...omitted].sort()).toEqual(Object.keys(given).sort())
        expect({ ...given, ...config }).toMatchObject(given)
      }),
    )
  })

  it('has the options that were given, under one name', () => {
    const config = new JupyterCodeExecutor({ kernelName: 'xjulia', language: 'julia' }).toConfig()
    expect(config).toEqual({
      provider: 'jupyter',
      version: 1,
      config: { kernelName: 'xjulia', language: 'julia' },
    })
  })

  it('names its server, and asks for what was left out of it', () => {
    const server = new LocalJupyterServer({ python: 'py', token: 'a-token-of-mine', env: { KEY: 'k' } })
    const config = json(new JupyterCodeExecutor({ server }).toConfig())
    expect(config.config.server).toEqual({
      provider: 'LocalJupyterServer',
      version: 1,
      config: { python: 'py' },
      omitted: ['env', 'token'],
    })
    expect(() => loadExecutor(config)).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INCOMPLETE',
        data: { provider: expect.any(String), option: 'server.env, server.token' },
      }),
    )
    const own = new LocalJupyterServer()
    expect(loadExecutor(config, { overrides: { server: own } }).toConfig?.().config).toEqual({
      server: own.toConfig(),
    })
  })

  it('keeps where a running server is, without its token', () => {
    const config = json(new JupyterCodeExecutor({ server: { host: 'h', token: 'a-token' } }).toConfig())
    expect(config).toMatchObject({ config: { server: { host: 'h' } }, omitted: ['server.token'] })
  })

  it('never runs a kernel here in the place of a server that cannot be described', { tags: 'all' }, () => {
    const server: JupyterServer = {
      isolation: 'vm',
      network: 'none',
      limits: { memory: true, processes: true },
      connect: async () => ({ host: 'h' }),
      kernelPath: () => undefined,
    }
    const executor = new JupyterCodeExecutor({ server })
    expect(() => executor.toConfig()).toThrow(expect.objectContaining({ code: 'NOT_CONFIGURABLE' }))
    const config = executor.toConfig({ omit: ['server'] })
    expect(() => loadExecutor(config)).toThrow(expect.objectContaining({ code: 'CONFIG_INCOMPLETE' }))
    expect(loadExecutor(config, { overrides: { server } }).capabilities.isolation).toBe('vm')
  })

  it('stops the server that was made of a config, and no other', async () => {
    const stop = vi.spyOn(LocalJupyterServer.prototype, 'stop')
    const server = new LocalJupyterServer()
    await new JupyterCodeExecutor({ server }).stop()
    expect(stop).not.toHaveBeenCalled()
    await loadExecutor(new JupyterCodeExecutor({ server }).toConfig()).stop()
    expect(stop).toHaveBeenCalledOnce()
    expect(stop.mock.contexts[0]).not.toBe(server)
    stop.mockRestore()
  })

  it.each([
    ['another kind of server', { provider: 'RemoteServer', version: 1, config: {} }, 'UNKNOWN_COMPONENT'],
    ['a newer version', { provider: 'LocalJupyterServer', version: 2, config: {} }, 'CONFIG_VERSION'],
    [
      'an option too many',
      { provider: 'LocalJupyterServer', version: 1, config: { shell: 1 } },
      'INVALID_OPTIONS',
    ],
  ])('is refused with a server of %s', { tags: 'all' }, (_, server, code) => {
    const config = { provider: 'jupyter', version: 1, config: { server } }
    expect(() => loadExecutor(config)).toThrow(expect.objectContaining({ code }))
  })
})

it('takes a server as an option, and says so to code that passes it as AutoGen does', () => {
  const wrong = new LocalJupyterServer() as never
  expect(() => new JupyterCodeExecutor(wrong)).toThrow(
    expect.objectContaining({ code: 'INVALID_OPTIONS', data: { option: '', suggestion: 'server' } }),
  )
})
