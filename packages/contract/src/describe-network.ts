import { networkInterfaces } from 'node:os'
import type { NetworkAllowlist, NetworkConnection } from '@fenced/core'
import type { Sandbox } from '@fenced/core/sandbox'
import type { TestFunctions } from './contract.ts'
import { hostileNetworkRows } from './hostile-network-rows.ts'
import type { NetworkContext } from './network-row.ts'
import { networkRows } from './network-rows.ts'
import { startNetworkServers } from './network-servers.ts'
import { outputOf } from './output-of.ts'
import { describeSuite } from './suite.ts'

/** A kind of sandbox under test that contains Python and whose network can be an allowlist. */
export interface NetworkSubject {
  readonly name: string
  /** Creates a sandbox that has not been started. The suite stops it. */
  create(network: NetworkAllowlist, lookup: (name: string) => Promise<readonly string[]>): Sandbox
  /** Runs a Python program in a sandbox and returns what it wrote. Default: `python3 -c`. */
  readonly run?: ((sandbox: Sandbox, code: string) => Promise<string>) | undefined
  /**
   * Whether the network helper runs as a different user than the programs, so that they cannot interfere with it. Default:
   * `false`.
   */
  readonly hasHelperUser?: boolean
  /** Rows to skip because they do not apply, keyed by name, each with a reason. */
  readonly except?: Readonly<Record<string, string>>
}

const addresses: Readonly<Record<string, readonly string[]>> = {
  'private.test': ['10.0.0.1'],
  'metadata.test': ['169.254.169.254'],
  'mapped.test': ['::ffff:10.0.0.1'],
  'denied.test': ['127.0.0.3'],
  'own.test': [ownAddress()],
  'mixed.test': ['10.0.0.1', '127.0.0.1'],
}

/**
 * Registers tests for a sandbox whose network is an allowlist (`NetworkAllowlist`) with a test runner. They run real and hostile
 * programs in one sandbox, against servers on this machine's loopback interface.
 *
 * @example
 * ```ts
 * import { describe, it } from 'vitest' // or from 'node:test'
 * import { describeNetwork } from '@fenced/contract'
 *
 * describeNetwork({ describe, it }, { name: 'mine', create: (network, lookup) => new MySandbox({ network }, { lookup }) })
 * ```
 */
export function describeNetwork(functions: TestFunctions, subject: NetworkSubject): void {
  describeSuite(functions, {
    name: subject.name,
    chapters: {
      'a network by list': networkRows,
      'hostile programs and a network by list': hostileNetworkRows,
    },
    isOne: true,
    ending: 'the sandbox of these rows stops',
    create: () => prepare(subject),
    end: (context) => context.stop(),
    whySkipped: ({ name }) => subject.except?.[name],
    async check({ check }, context) {
      context.lookups.length = 0
      context.connections.length = 0
      await check(context)
    },
  })
}

/** An address at which other machines reach this machine, if any. */
function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses)
  return all.find(({ internal }) => !internal)?.address ?? '127.0.0.3'
}

async function prepare(subject: NetworkSubject): Promise<NetworkContext & { stop(): Promise<void> }> {
  const servers = await startNetworkServers()
  const { httpPort, tcpPort } = servers
  const lookups: string[] = []
  const connections: NetworkConnection[] = []
  const started: Sandbox[] = []
  const lookup = async (name: string) => {
    lookups.push(name)
    // Another answer to the second question.
    if (name === 'rebound.test')
      return lookups.filter((each) => each === name).length === 1 ? ['127.0.0.1'] : ['10.0.0.1']
    return addresses[name] ?? ['127.0.0.1']
  }
  const start = async (limits: Partial<NetworkAllowlist>) => {
    const sandbox = subject.create(
      {
        allowedHosts: ['api.test', '*.wild.test', 'bücher.test', 'rebound.test', ...Object.keys(addresses)],
        allowedCIDRs: ['127.0.0.0/8'],
        deniedCIDRs: ['127.0.0.3/32', '127.0.0.4/31'],
        ports: [httpPort, tcpPort],
        ...limits,
      },
      lookup,
    )
    started.push(sandbox)
    await sandbox.start()
    return sandbox
  }
  const sandbox = await start({})
  sandbox.network?.watch({ onConnection: (connection) => connections.push(connection) })
  return {
    ...{ servers, sandbox, lookups, connections, start },
    hasHelperUser: subject.hasHelperUser ?? false,
    run: (code, other = sandbox) =>
      (subject.run ?? runPython)(other, `${pythonPrelude(httpPort, tcpPort)}\n${code}`),
    async stop() {
      await Promise.all(started.map((each) => each.stop()))
      await servers[Symbol.asyncDispose]()
    },
  }
}

/** Runs a program in a sandbox and returns what it wrote. */
export async function runPython(sandbox: Sandbox, code: string): Promise<string> {
  const python = (await sandbox.which(['python3'])).get('python3') ?? 'python3'
  return outputOf(sandbox, [python, '-c', code])
}

/** The beginning of the programs of these suites. */
export const pythonPrelude = (httpPort: number, tcpPort: number) => `
import os, socket, ssl, sys, threading, time, urllib.error, urllib.parse, urllib.request
http, tcp = ${httpPort}, ${tcpPort}
address = urllib.parse.urlsplit(os.environ['http_proxy'])
proxy = (address.hostname, address.port)

def dial():
    connection = socket.create_connection(proxy)
    connection.settimeout(30)
    return connection

def ask(words, connection=None):
    connection = connection or dial()
    connection.sendall(words.encode() if isinstance(words, str) else words)
    return connection

def rest(connection):
    data = b''
    try:
        while True:
            more = connection.recv(65536)
            if not more: break
            data += more
    except OSError: pass
    return data.decode('latin-1')

def get(host, path='/', headers='Connection: close'):
    return rest(ask('GET http://%s%s HTTP/1.1\\r\\nHost: %s\\r\\n%s\\r\\n\\r\\n' % (host, path, host, headers)))

def status(answer): return answer[9:12] or 'closed'

def tunnel(host):
    connection = ask('CONNECT %s HTTP/1.1\\r\\nHost: %s\\r\\n\\r\\n' % (host, host))
    answer = b''
    while b'\\r\\n\\r\\n' not in answer:
        more = connection.recv(1)
        if not more: break
        answer += more
    return status(answer.decode('latin-1')), connection

def try_both(names):
    for name in names:
        host = '%s:%d' % (name, http)
        print(status(get(host)), tunnel(host)[0])
`
