// @module-tag all

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { outputOf } from '@fenced/contract'
import { requirement } from '@fenced/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LocalSandbox } from '../src/index.ts'
import { bubblewrap, python } from './requirements.ts'

const have = (command: string, ...args: string[]) => {
  try {
    execFileSync(command, args, { stdio: 'ignore' })
    return undefined
  } catch (error) {
    return String(error)
  }
}
const tools = requirement(
  'curl-git-openssl',
  have('curl', '--version') ?? have('git', '--version') ?? have('openssl', 'version'),
)
const npm = requirement('npm', have('/usr/bin/npm', '--version'))
const uvProgram = (process.env.PATH ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'uv'))
  .find((file) => existsSync(file))
const uv = requirement('uv', uvProgram === undefined ? 'the program uv is not there' : undefined)
const pythonClients = process.env.FENCED_TEST_PYTHON_CLIENTS
const clients = requirement(
  'python-clients',
  pythonClients === undefined ? 'FENCED_TEST_PYTHON_CLIENTS names no directory' : undefined,
)

let folder = ''
let sandbox: LocalSandbox
let http: Server
let https: Server
const ports = { http: 0, https: 0 }

/** Runs a client. Nothing is set for a proxy; the variables only name the self-signed certificate of these servers. */
function run(command: string): Promise<string> {
  const ca = join(sandbox.directory, 'ca.pem')
  return outputOf(sandbox, ['/bin/sh', '-c', command], {
    env: {
      ...{ CURL_CA_BUNDLE: ca, GIT_SSL_CAINFO: ca, SSL_CERT_FILE: ca, REQUESTS_CA_BUNDLE: ca, PIP_CERT: ca },
      ...{ NODE_EXTRA_CA_CERTS: ca, npm_config_cafile: ca },
    },
  })
}

const serve: RequestListener = (request, response) => {
  const path = new URL(request.url ?? '', 'http://server').pathname
  const type = path.endsWith('/') || path.startsWith('/simple') ? 'text/html' : 'application/octet-stream'
  const file = join(folder, 'served', path.endsWith('/') ? `${path}index.html` : path)
  if (path === '/hello') response.end(`hello from ${request.headers.host}\n`)
  else if (existsSync(file)) response.writeHead(200, { 'Content-Type': type }).end(readFileSync(file))
  else response.writeHead(404).end()
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

describe.skipIf(bubblewrap.missing || python.missing || tools.missing)(
  'clients, with a network by list',
  () => {
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'fenced-test-'))
      const openssl = (command: string) =>
        execFileSync('openssl', command.split(' '), { cwd: folder, stdio: 'pipe' })
      const newKey = 'req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc'
      openssl(`${newKey} -x509 -days 2 -subj /CN=authority -keyout ca-key.pem -out ca.pem`)
      openssl(`${newKey} -subj /CN=host.test -keyout key.pem -out host.csr`)
      writeFileSync(join(folder, 'names'), 'subjectAltName=DNS:host.test')
      openssl(
        'x509 -req -in host.csr -CA ca.pem -CAkey ca-key.pem -CAcreateserial -days 2 -extfile names -out host.pem',
      )
      http = createHttpServer(serve)
      https = createHttpsServer(
        { key: readFileSync(`${folder}/key.pem`), cert: readFileSync(`${folder}/host.pem`) },
        serve,
      )
      Object.assign(ports, { http: await listen(http), https: await listen(https) })
      makeWheel()
      makeRepository()
      makeNpmPackage()
      sandbox = new LocalSandbox(
        {
          ...{ isolation: 'bubblewrap', memoryBytes: false, pids: false },
          network: {
            ...{ allowedHosts: ['host.test'], allowedCIDRs: ['127.0.0.1/32'] },
            ports: [ports.http, ports.https],
          },
        },
        { lookup: async () => ['127.0.0.1'] },
      )
      await sandbox.start()
      cpSync(`${folder}/ca.pem`, join(sandbox.directory, 'ca.pem'))
    })

    afterAll(async () => {
      await sandbox?.stop()
      http?.close()
      https?.close()
      rmSync(folder, { recursive: true, force: true })
    })

    const https_ = () => `https://host.test:${ports.https}`
    const hello = () => `hello from host.test:${ports.https}\n`

    it('curl', async () => {
      expect(await run(`curl -sS ${https_()}/hello http://host.test:${ports.http}/hello`)).toBe(
        `${hello()}hello from host.test:${ports.http}\n`,
      )
      expect(await run('curl -sS https://evil.test/')).toContain('response 403')
    })

    it('curl with HTTP/2 asked for', async () => {
      expect(await run(`curl -sS --http2 ${https_()}/hello`)).toBe(hello())
    })

    it('urllib of Python', async () => {
      const code = `import urllib.request; print(urllib.request.urlopen("${https_()}/hello").read().decode(), end="")`
      expect(await run(`python3 -c '${code}'`)).toBe(hello())
    })

    it.skipIf(clients.missing)('requests and httpx', async () => {
      cpSync(pythonClients ?? '', join(sandbox.directory, 'clients'), { recursive: true })
      for (const client of ['requests', 'httpx']) {
        const code = `import ${client}; print(${client}.get("${https_()}/hello").text, end="")`
        expect(await run(`PYTHONPATH=clients /usr/bin/python3 -c '${code}'`)).toBe(hello())
      }
    })

    it('pip, from an index', { timeout: 120_000 }, async () => {
      const output = await run(
        `python3 -m pip install --no-cache-dir --index-url ${https_()}/simple --target packages fenced_tiny && PYTHONPATH=packages python3 -c 'import fenced_tiny; print(fenced_tiny.answer)'`,
      )
      expect(output).toMatch(/Successfully installed fenced[-_]tiny-1\.0[\s\S]*\n42\n$/)
    })

    it.skipIf(uv.missing)('uv, from an index', { timeout: 120_000 }, async () => {
      mkdirSync(join(sandbox.directory, 'bin'), { recursive: true })
      cpSync(realpathSync(uvProgram ?? ''), join(sandbox.directory, 'bin', 'uv'))
      const output = await run(
        `bin/uv pip install --no-cache --python /usr/bin/python3 --index-url ${https_()}/simple --target uv-packages fenced_tiny && PYTHONPATH=uv-packages /usr/bin/python3 -c 'import fenced_tiny; print(fenced_tiny.answer)'`,
      )
      expect(output).toMatch(/42\n$/)
    })

    it('git, over https', async () => {
      const output = await run(`git clone -q ${https_()}/git/tiny.git cloned && cat cloned/file.txt`)
      expect(output).toBe('from git\n')
    })

    it("Node's fetch and http", async () => {
      const code = `fetch("${https_()}/hello").then((answer) => answer.text()).then((text) => process.stdout.write(text))`
      const node = (await sandbox.which(['node'])).get('node') as string
      const env = { NODE_EXTRA_CA_CERTS: join(sandbox.directory, 'ca.pem') }
      expect(await outputOf(sandbox, [node, '--no-warnings', '-e', code], { env })).toBe(hello())
    })

    it.skipIf(npm.missing)('npm, from a registry', { timeout: 120_000 }, async () => {
      const output = await run(
        `mkdir -p project && cd project && /usr/bin/npm install --no-audit --no-fund --registry ${https_()}/npm/ fenced-tiny && cat node_modules/fenced-tiny/index.js`,
      )
      expect(output).toMatch(/module\.exports = 42\n$/)
    })
  },
)

function makeWheel(): void {
  const made = join(folder, 'wheel')
  mkdirSync(join(made, 'fenced_tiny-1.0.dist-info'), { recursive: true })
  writeFileSync(join(made, 'fenced_tiny.py'), 'answer = 42\n')
  const info = (name: string, text: string) =>
    writeFileSync(join(made, 'fenced_tiny-1.0.dist-info', name), text)
  info('METADATA', 'Metadata-Version: 2.1\nName: fenced_tiny\nVersion: 1.0\n')
  info('WHEEL', 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n')
  info(
    'RECORD',
    'fenced_tiny.py,,\nfenced_tiny-1.0.dist-info/METADATA,,\nfenced_tiny-1.0.dist-info/WHEEL,,\nfenced_tiny-1.0.dist-info/RECORD,,\n',
  )
  const file = 'fenced_tiny-1.0-py3-none-any.whl'
  for (const name of ['fenced-tiny', 'fenced_tiny']) {
    mkdirSync(join(folder, 'served', 'simple', name), { recursive: true })
    writeFileSync(
      join(folder, 'served', 'simple', name, 'index.html'),
      `<a href="/wheels/${file}">${file}</a>`,
    )
  }
  mkdirSync(join(folder, 'served', 'wheels'), { recursive: true })
  execFileSync(
    'python3',
    [
      '-m',
      'zipfile',
      '-c',
      join(folder, 'served', 'wheels', file),
      'fenced_tiny.py',
      'fenced_tiny-1.0.dist-info',
    ],
    { cwd: made },
  )
}

function makeRepository(): void {
  const made = join(folder, 'repository')
  mkdirSync(made)
  writeFileSync(join(made, 'file.txt'), 'from git\n')
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@example.com', ...args], {
      cwd: made,
      stdio: 'pipe',
    })
  git('init', '-q')
  git('add', '.')
  git('commit', '-qm', 'a file')
  mkdirSync(join(folder, 'served', 'git'), { recursive: true })
  git('clone', '-q', '--bare', made, join(folder, 'served', 'git', 'tiny.git'))
  execFileSync('git', ['update-server-info'], { cwd: join(folder, 'served', 'git', 'tiny.git') })
}

function makeNpmPackage(): void {
  const made = join(folder, 'npm')
  mkdirSync(join(made, 'package'), { recursive: true })
  const manifest = { name: 'fenced-tiny', version: '1.0.0' }
  writeFileSync(join(made, 'package', 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(made, 'package', 'index.js'), 'module.exports = 42\n')
  mkdirSync(join(folder, 'served', 'npm'), { recursive: true })
  const archive = join(folder, 'served', 'npm', 'fenced-tiny.tgz')
  execFileSync('tar', ['-czf', archive, 'package'], { cwd: made })
  const integrity = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`
  const tarball = `https://host.test:${ports.https}/npm/fenced-tiny.tgz`
  const described = {
    name: 'fenced-tiny',
    'dist-tags': { latest: '1.0.0' },
    versions: { '1.0.0': { ...manifest, dist: { tarball, integrity } } },
  }
  writeFileSync(join(folder, 'served', 'npm', 'fenced-tiny'), JSON.stringify(described))
}
