import { ok } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NetworkAllowlist, NetworkConnection } from '@fenced/core'
import type { Sandbox } from '@fenced/core/sandbox'
import type { TestFunctions } from './contract.ts'
import { pythonPrelude, runPython } from './describe-network.ts'
import type { SecretsContext } from './secret-row.ts'
import { secretRows } from './secret-rows.ts'
import { startSecretServers, type TestAuthority } from './secret-servers.ts'
import { describeSuite } from './suite.ts'

/** A kind of sandbox under test that contains Python and whose network can have secrets. */
export interface SecretsSubject {
  readonly name: string
  /** Creates a sandbox that has not been started. The suite stops it. */
  create(network: NetworkAllowlist, lookup: (name: string) => Promise<readonly string[]>): Sandbox
  /** Runs a Python program in the sandbox and returns what it wrote. Default: `python3 -c`. */
  readonly run?: ((sandbox: Sandbox, code: string) => Promise<string>) | undefined
  /** Authority that vouches for the hosts with secrets and is trusted through `caFile`. */
  readonly authority: TestAuthority
  /** Authority that vouches for a host but is not trusted. */
  readonly impostor: TestAuthority
}

/** A regular expression that a search for tokens would use. */
const secretPattern = 'ghp_[0-9a-f/]{41}'

/**
 * Registers tests for a sandbox whose network has secrets (`NetworkAllowlist.secrets`) with a test runner. Their programs try to
 * read a secret, in one sandbox, against servers on this machine's loopback interface.
 */
export function describeSecrets(functions: TestFunctions, subject: SecretsSubject): void {
  describeSuite(functions, {
    name: subject.name,
    chapters: { 'secrets that programs use and do not have': secretRows },
    ending: 'the sandbox of these rows stops',
    create: () => prepare(subject),
    end: (context) => context.stop(),
    whySkipped: () => undefined,
    async check({ check }, context) {
      context.servers.received.length = 0
      await check(context)
    },
  })
}

async function prepare({
  create,
  run = runPython,
  authority,
  impostor,
}: SecretsSubject): Promise<SecretsContext & { stop(): Promise<void> }> {
  const servers = await startSecretServers(authority, impostor)
  const { httpPort, httpsPort, falsePort } = servers
  const value = `ghp_${randomBytes(10).toString('hex')}/${randomBytes(10).toString('hex')}`
  const hosts = [`api.test:${httpsPort}`, `http://api.test:${httpPort}`, `api.test:${falsePort}`]
  const folder = await mkdtemp(join(tmpdir(), 'fenced-contract-'))
  const caFile = join(folder, 'ca.pem')
  await writeFile(caFile, authority.certificate)
  const sandbox = create(
    {
      allowedHosts: ['api.test', 'other.test'],
      allowedCIDRs: ['127.0.0.0/8'],
      ports: [httpPort, httpsPort, falsePort],
      secrets: { API_TOKEN: { value, hosts } },
      caFile,
    },
    async () => ['127.0.0.1'],
  )
  await sandbox.start()
  const connections: NetworkConnection[] = []
  sandbox.network?.watch({ onConnection: (connection) => connections.push(connection) })
  const beginning = `${pythonPrelude(httpPort, httpsPort)}\n${prelude(httpsPort, falsePort)}`
  return {
    ...{ servers, sandbox, value, connections },
    run: async (code) => {
      const output = await run(sandbox, `${beginning}\n${code}`)
      for (const form of [value, Buffer.from(value).toString('hex'), Buffer.from(value).toString('base64')])
        ok(!output.toLowerCase().includes(form.toLowerCase().slice(4, 30)), `It has the value: ${output}`)
      return output
    },
    async stop() {
      await sandbox.stop()
      await servers[Symbol.asyncDispose]()
      await rm(folder, { recursive: true })
    },
  }
}

const prelude = (httpsPort: number, falsePort: number) => `
import base64, re
https, fake = ${httpsPort}, ${falsePort}
token = os.environ["API_TOKEN"]
bearer = {'Authorization': 'Bearer ' + token}
pattern = re.compile(rb'${secretPattern}')

def secure(host, name=None, protocols=None):
    status, connection = tunnel(host)
    context = ssl.create_default_context()
    if protocols: context.set_alpn_protocols(protocols)
    return context.wrap_socket(connection, server_hostname=name or host.split(':')[0])

def fetch(url, headers=bearer, method=None, data=None):
    request = urllib.request.Request(url, data=data, method=method, headers=headers)
    try: answer = urllib.request.urlopen(request, timeout=30)
    except urllib.error.HTTPError as error: answer = error
    return '%s %s\\n%s%s' % (answer.status, answer.reason, answer.headers, answer.read().decode('latin-1'))

def api(path='/', *rest, **named): return fetch('https://api.test:%d%s' % (https, path), *rest, **named)

def spoken(words, host='api.test'):
    return rest(ask(words, secure('%s:%d' % (host, https))))

head = 'Host: api.test:%d\\r\\nAuthorization: Bearer %s\\r\\n' % (https, token)

def files(*roots):
    for root in roots:
        for path, _, names in os.walk(root):
            for name in names:
                try:
                    if os.path.isfile(os.path.join(path, name)):
                        yield os.path.join(path, name), open(os.path.join(path, name), 'rb').read(4_000_000)
                except OSError: pass
`
