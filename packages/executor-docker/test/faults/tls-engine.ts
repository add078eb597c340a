import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { EngineHost } from '@fenced/sandbox-docker'
import { PrivateEngine } from './private-engine.ts'

/** A daemon in a network namespace of its own, as on another machine: reached over TCP, with TLS and a client certificate. */
export class TlsEngine implements AsyncDisposable {
  readonly engine: PrivateEngine
  readonly #network: TestNetwork
  readonly #certificates: Certificates

  private constructor(engine: PrivateEngine, network: TestNetwork, certificates: Certificates) {
    this.engine = engine
    this.#network = network
    this.#certificates = certificates
  }

  static async start(images: readonly string[] = ['fenced-test/busybox']): Promise<TlsEngine> {
    const network = new TestNetwork()
    const certificates = new Certificates(network.address)
    const { folder } = certificates
    const reach = {
      before: ['nsenter', `--net=/run/netns/${network.name}`],
      arguments: [
        `--host=tcp://${network.address}:2376`,
        '--tlsverify',
        `--tlscacert=${folder}/ca.pem`,
        `--tlscert=${folder}/server.pem`,
        `--tlskey=${folder}/server-key.pem`,
      ],
    }
    try {
      return new TlsEngine(await PrivateEngine.start({ images, reach }), network, certificates)
    } catch (error) {
      network[Symbol.dispose]()
      certificates[Symbol.dispose]()
      throw error
    }
  }

  /** For the `docker` option. */
  get connection(): EngineHost {
    return { host: this.host, tls: this.#certificates.tls }
  }

  get host(): string {
    return `tcp://${this.#network.address}:2376`
  }

  /** Drops everything from now on, without closing a connection. */
  cut(): void {
    this.#network.set('down')
  }

  mend(): void {
    this.#network.set('up')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.engine[Symbol.asyncDispose]()
    this.#network[Symbol.dispose]()
    this.#certificates[Symbol.dispose]()
  }
}

let networks = 0

/** A network namespace with one address, from the range that is reserved for tests of networks (RFC 2544). */
class TestNetwork implements Disposable {
  readonly #number = (process.pid % 8_000) * 8 + networks++
  readonly name = `fenced-t${this.#number}`

  constructor() {
    const { name } = this
    ip(`netns add ${name}`)
    ip(`link add ${name} type veth peer name there netns ${name}`)
    ip(`address add ${this.#at(1)}/30 dev ${name}`)
    ip(`link set ${name} up`)
    ip(`-n ${name} address add ${this.address}/30 dev there`)
    ip(`-n ${name} link set lo up`)
    ip(`-n ${name} link set there up`)
  }

  get address(): string {
    return this.#at(2)
  }

  set(state: 'up' | 'down'): void {
    // At the far end: here, a network that is down answers at once.
    ip(`-n ${this.name} link set there ${state}`)
  }

  [Symbol.dispose](): void {
    ip(`netns delete ${this.name}`)
  }

  #at(offset: number): string {
    const number = this.#number * 4 + offset
    return `198.${18 + ((number >> 16) & 1)}.${(number >> 8) & 255}.${number & 255}`
  }
}

function ip(command: string): void {
  execFileSync('ip', command.split(' '), { stdio: 'pipe' })
}

/** An authority, and what it vouches for: a server at an address, and a client. */
export class Certificates implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'fenced-c-'))

  constructor(address: string) {
    this.#openssl(`${newKey} -x509 -subj /CN=${basename(this.folder)} -days 2 -keyout ca-key.pem -out ca.pem`)
    this.#sign('server', `subjectAltName=IP:${address}\nextendedKeyUsage=serverAuth`)
    this.#sign('client', 'extendedKeyUsage=clientAuth')
  }

  get tls() {
    const file = (name: string) => join(this.folder, name)
    return { caFile: file('ca.pem'), certFile: file('client.pem'), keyFile: file('client-key.pem') }
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true })
  }

  #sign(name: string, extensions: string): void {
    writeFileSync(join(this.folder, `${name}.txt`), extensions)
    this.#openssl(`${newKey} -subj /CN=${name} -keyout ${name}-key.pem -out ${name}.csr`)
    this.#openssl(
      `x509 -req -in ${name}.csr -CA ca.pem -CAkey ca-key.pem -CAcreateserial -days 2 -extfile ${name}.txt -out ${name}.pem`,
    )
  }

  #openssl(command: string): void {
    execFileSync('openssl', command.split(' '), { cwd: this.folder, stdio: 'pipe' })
  }
}

const newKey = 'req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc'
