import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { outputOf } from '@fenced/contract'
import type { NetworkConnection } from '@fenced/core'
import { expect, it, onTestFinished } from 'vitest'
import { DockerSandbox } from '../src/index.ts'
import { docker } from './requirements.ts'

const wheel = 'fenced_tiny-1.0-py3-none-any.whl'

/** Prints a package of one module as pip downloads it, in base64. */
const makeWheel = `
import base64, io, zipfile
info = 'fenced_tiny-1.0.dist-info/'
files = {
    'fenced_tiny.py': 'answer = 42\\n',
    info + 'METADATA': 'Metadata-Version: 2.1\\nName: fenced_tiny\\nVersion: 1.0\\n',
    info + 'WHEEL': 'Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n',
}
files[info + 'RECORD'] = ''.join(name + ',,\\n' for name in [*files, info + 'RECORD'])
archive = io.BytesIO()
with zipfile.ZipFile(archive, 'w') as wheel:
    for name, text in files.items(): wheel.writestr(name, text)
print(base64.b64encode(archive.getvalue()).decode())`

it.skipIf(docker.missing)(
  'packages are installed by pip in a container whose network is the index alone',
  { timeout: 120_000 },
  async () => {
    let content = Buffer.of()
    const index = createServer(({ url }, response) => {
      if (url === '/simple/fenced-tiny/')
        response.setHeader('content-type', 'text/html').end(`<a href="/${wheel}">${wheel}</a>`)
      else response.writeHead(url === `/${wheel}` ? 200 : 404).end(content)
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void index.close())
    await once(index, 'listening')
    const { port } = index.address() as AddressInfo
    await using sandbox = new DockerSandbox(
      {
        image: 'fenced-test/python',
        network: {
          allowedHosts: ['index.test'],
          allowedCIDRs: ['127.0.0.1/32'],
          ports: [port],
        },
      },
      { lookup: async () => ['127.0.0.1'] },
    )
    await sandbox.start()
    const connections: NetworkConnection[] = []
    using _ = sandbox.network?.watch({ onConnection: (connection) => connections.push(connection) })
    const run = (...command: [string, ...string[]]) => outputOf(sandbox, command)
    content = Buffer.from(await run('python3', '-c', makeWheel), 'base64')
    const pip = `python3 -m pip install --no-cache-dir --target packages --index-url http://index.test:${port}/simple --trusted-host index.test`
    expect(await run('sh', '-c', `${pip} fenced-tiny`)).toMatch(/Successfully installed fenced[-_]tiny-1\.0/)
    const use = 'import sys; sys.path.append("packages"); import fenced_tiny; print(fenced_tiny.answer)'
    expect(await run('python3', '-c', use)).toBe('42\n')
    const elsewhere = `${pip.replaceAll('index.test', 'other.test')} --retries 0 fenced-tiny`
    expect(await run('sh', '-c', elsewhere)).toContain('No matching distribution')
    expect(new Set(connections.map(({ host, verdict }) => `${host} ${verdict}`))).toEqual(
      new Set(['index.test allowed', 'other.test refused']),
    )
  },
)
