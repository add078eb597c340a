import type { Duplex } from 'node:stream'
import { FencedError } from '@fenced/core'
import type { BackendProcess } from '@fenced/core/sandbox'
import { reasonIn } from '@fenced/errors'
import { TextTail } from '@fenced/shared'
import { networkPrograms } from '../embedded.ts'
import { Channels, type HelperLink } from './channels.ts'
import { type Lookup, NetworkGate } from './network-gate.ts'
import type { NetworkListSettings } from './network-options.ts'
import { NetworkProxy } from './network-proxy.ts'
import { NetworkSecrets } from './secrets/network-secrets.ts'
import { creditFrame } from './wire.ts'

/** Where the helper listens, on the loopback of the sandbox: the port that proxies are known by. */
const proxyPort = 3_128

const proxyAddress = `http://127.0.0.1:${proxyPort}`

/** Servers in the sandbox itself are reached without the proxy. */
const withoutProxy = 'localhost,127.0.0.1,::1'

/** What programs find the proxy by, in each spelling that some of them know. */
const proxyVariables: Readonly<Record<string, string>> = {
  ...{ HTTP_PROXY: proxyAddress, HTTPS_PROXY: proxyAddress, ALL_PROXY: proxyAddress, NO_PROXY: withoutProxy },
  ...{ http_proxy: proxyAddress, https_proxy: proxyAddress, all_proxy: proxyAddress, no_proxy: withoutProxy },
  // Node's own fetch and http, from 24 and 22.21 on.
  NODE_USE_ENV_PROXY: '1',
}

/** What programs find the certificates by that they trust: OpenSSL and uv, requests, curl, Node, git, pip, npm, AWS, Deno, cargo. */
const bundleVariables = [
  'SSL_CERT_FILE REQUESTS_CA_BUNDLE CURL_CA_BUNDLE NODE_EXTRA_CA_CERTS GIT_SSL_CAINFO',
  'PIP_CERT NPM_CONFIG_CAFILE AWS_CA_BUNDLE DENO_CERT CARGO_HTTP_CAINFO',
].flatMap((names) => names.split(' '))

/** What runs the helper. */
export interface HelperInterpreter {
  readonly kind: 'python' | 'node'
  readonly program: string
}

const flagsOf = { python: ['-I', '-S', '-c'], node: ['-e'] } as const

/** How long the helper may take to listen, in milliseconds. */
const limitMs = 20_000
/** How much of what a helper says is kept for a message, in UTF-16 code units. */
const wordsLength = 2_000

/** The network of one sandbox that is a list: its gate, and the helpers that bring connections to it. */
export class ListedNetwork {
  /** Where systems have the certificates that they trust, as one file: Debian and Alpine, Fedora, SUSE, others. */
  static readonly systemBundles: readonly string[] = [
    '/etc/ssl/certs/ca-certificates.crt',
    '/etc/pki/tls/certs/ca-bundle.crt',
    '/etc/ssl/ca-bundle.pem',
    '/etc/ssl/cert.pem',
  ]

  readonly gate: NetworkGate
  readonly #proxy: NetworkProxy
  readonly #secrets: NetworkSecrets | undefined

  /** @param stream - the descriptor of the stream to this process, or `-` for stdin and stdout. */
  static helperCommand({ kind, program }: HelperInterpreter, stream: number | '-'): [string, ...string[]] {
    return [program, ...flagsOf[kind], networkPrograms[kind].helper, `${proxyPort}`, `${stream}`]
  }

  /** Tries to get out of a sandbox as a program does: around its proxy, and through it to a name that no list has. */
  static testCommand({ kind, program }: HelperInterpreter): [string, ...string[]] {
    return [program, ...flagsOf[kind], networkPrograms[kind].test, `${proxyPort}`]
  }

  /**
   * Judges what that wrote.
   *
   * @param hasRoutes - whether there is a way out that something else closes, as in a pod.
   * @throws FencedError `NETWORK_NOT_CLOSED` when it got out; `NETWORK_HELPER_FAILED` when the proxy did not answer.
   */
  static judgeTest(
    { exitCode, output }: { readonly exitCode: number; readonly output: string },
    hasRoutes: boolean,
  ): void {
    const [routes = '', answer = ''] = output.split('\n')
    if (exitCode !== 0) throw helperFailed(output.slice(0, wordsLength))
    if (routes !== '' && !hasRoutes)
      throw notClosed(`there is a way to ${routes} around its proxy`, { hosts: routes })
    if (/^HTTP\/1\.1 403 /.test(answer)) return
    if (/^HTTP\/1\.1 /.test(answer))
      throw notClosed(`its proxy answered ${answer} for a host that is not on the list`, { answer })
    throw helperFailed(`its proxy answered ${JSON.stringify(answer.slice(0, wordsLength))}`)
  }

  constructor(settings: NetworkListSettings, lookup?: Lookup) {
    this.gate = new NetworkGate(settings, lookup)
    this.#secrets = NetworkSecrets.of(settings)
    this.#proxy = new NetworkProxy(this.gate, this.#secrets)
  }

  /** The certificate that programs have to trust, in PEM, where there are secrets. @throws FencedError `SECRETS_UNAVAILABLE`. */
  async certificate(): Promise<string | undefined> {
    return (await this.#secrets?.authority())?.certificate
  }

  /**
   * What programs find the proxy by, and the secrets.
   *
   * @param bundle - the path of a file with certificates to trust; needed where there are secrets.
   */
  variables(bundle: string): Readonly<Record<string, string>> {
    if (this.#secrets === undefined) return proxyVariables
    const trust = Object.fromEntries(bundleVariables.map((name) => [name, bundle]))
    return { ...this.#secrets.variables, ...proxyVariables, ...trust }
  }

  /** Takes what a helper brings over a stream, which is destroyed when that is not what a helper sends. */
  serve(stream: Duplex): void {
    const link = { write: (data: Uint8Array) => stream.write(data), waiting: () => stream.writableLength }
    const channels = this.#channels(link, () => {})
    stream.on('error', () => {}).on('drain', () => channels.drained())
    stream.on('close', () => channels.end())
    stream.on('data', (chunk) => {
      try {
        channels.receive(chunk)
      } catch {
        stream.destroy()
      }
    })
  }

  /**
   * Starts a helper that speaks through its stdin and stdout, and waits until it listens.
   *
   * @throws FencedError `NETWORK_HELPER_FAILED`, and what `start` rejects with.
   */
  async startHelper(
    interpreter: HelperInterpreter,
    start: (command: [string, ...string[]]) => Promise<BackendProcess>,
  ): Promise<NetworkHelper> {
    const process = await start(ListedNetwork.helperCommand(interpreter, '-'))
    process.unref?.()
    const { stdin } = process
    const link = {
      write: (data: Uint8Array) => stdin?.write(data) ?? true,
      waiting: () => stdin?.writableLength ?? 0,
    }
    const greeted = Promise.withResolvers<void>()
    const channels = this.#channels(link, greeted.resolve)
    stdin?.on('error', () => {}).on('drain', () => channels.drained())
    const words = new TextTail(wordsLength)
    const reading = process.read((stream, chunk) => {
      if (stream === 'stdout') channels.receive(chunk)
      else words.push(chunk)
    })
    const helper = new NetworkHelper(process, reading, channels)
    void helper.ended.then((failure) => greeted.reject(helperFailed(words.text || `${failure ?? ''}`)))
    const timer = setTimeout(() => greeted.reject(helperFailed('it did not listen in time')), limitMs)
    try {
      await greeted.promise
      return helper
    } catch (error) {
      helper.end()
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  /** Ends what is open. */
  end(): void {
    this.gate.end()
  }

  #channels(link: HelperLink, onGreeting: () => void): Channels {
    return new Channels(link, onGreeting, (channel) => this.#proxy.serve(channel))
  }
}

/** How often something is sent on a connection that could be forgotten, in milliseconds. */
const reminderMs = 20_000

/** A helper that runs. */
export class NetworkHelper {
  /** Resolves when it has ended, with what was wrong with it. */
  readonly ended: Promise<unknown>
  hasEnded = false
  readonly #process: BackendProcess
  readonly #reminder: NodeJS.Timeout

  constructor(process: BackendProcess, reading: Promise<void>, channels: Channels) {
    this.#process = process
    // Credit for no channel: it says nothing.
    this.#reminder = setInterval(() => channels.send(creditFrame(0, 0)), reminderMs).unref()
    this.ended = reading
      .catch((error: unknown) => error)
      .then((failure) => {
        this.hasEnded = true
        this.end()
        channels.end()
        return failure
      })
  }

  /** Closes stdin of the helper, which ends the helper. */
  end(): void {
    clearInterval(this.#reminder)
    this.#process.destroy()
  }
}

/** @throws FencedError `NETWORK_HELPER_FAILED` where there is neither. */
export function helperInterpreter(programs: ReadonlyMap<string, string>): HelperInterpreter {
  const [python, node] = [programs.get('python3') ?? programs.get('python'), programs.get('node')]
  if (python !== undefined) return { kind: 'python', program: python }
  if (node !== undefined) return { kind: 'node', program: node }
  throw helperFailed('it is a program of Python or of Node, and the sandbox has neither')
}

function helperFailed(why: string): FencedError {
  const reason = why.trim() || 'it ended without any output'
  return new FencedError({
    code: 'NETWORK_HELPER_FAILED',
    message: `The helper for the network allowlist does not work in the sandbox: ${reasonIn(reason)}. It needs Python 3.8 or Node 18, and port ${proxyPort} on the sandbox's loopback interface. No code was run.`,
    data: { reason, port: `${proxyPort}` },
  })
}

function notClosed(why: string, data: Readonly<Record<string, string>>): FencedError {
  return new FencedError({
    code: 'NETWORK_NOT_CLOSED',
    message: `The sandbox’s network allowlist is not enforced: ${why}. No code was run.`,
    data,
  })
}
