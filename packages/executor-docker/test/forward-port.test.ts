import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { extractCodeBlocks } from '@fenced/core'
import { forwardPort } from '@fenced/sandbox'
import { rowTags } from '@fenced/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { DockerCommandLineCodeExecutor, DockerSandbox } from '../src/index.ts'
import { docker, podman, podmanHost } from './requirements.ts'

const image = 'fenced-test/python'

/** Answers each request with what was sent, and says when it listens. */
const application = `
import http.server
class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers['Content-Length']))
        self.send_response(200)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_): pass
http.server.ThreadingHTTPServer(('127.0.0.1', 8000), Handler).serve_forever()
`

const engines = [
  { name: 'Docker', missing: docker.missing, options: { image } },
  { name: 'Podman', missing: podman.missing, options: { image, docker: podmanHost } },
] as const

const rows = rowTags({ nightly: ['of Podman'] })

describe.each(engines)('a port of a container without a network, of $name', rows, ({ missing, options }) => {
  it.skipIf(missing)(
    'is a web application that answers on this machine, however many ask at once',
    async () => {
      await using sandbox = new DockerSandbox(options)
      await sandbox.start()
      expect(sandbox.capabilities.network).toBe('none')
      await using forwarded = await forwardPort(sandbox, 8000, { waitTimeoutMs: 30_000 })
      // The browser is faster than the server.
      const bodies = Array.from({ length: 10 }, (_, index) => Buffer.alloc(200_000, index))
      const answers = bodies.map((body) => fetch(forwarded.url, { method: 'POST', body }))
      const server = await sandbox.spawn(['python3', '-c', application])
      for (const [index, answer] of (await Promise.all(answers)).entries()) {
        expect(bodies[index]?.equals(Buffer.from(await answer.arrayBuffer()))).toBe(true)
      }
      await server.kill()
    },
  )
})

describe.skipIf(docker.missing)('a port of a container', () => {
  it('is that of a block, for as long as it runs', async () => {
    await using executor = new DockerCommandLineCodeExecutor({ image, timeoutMs: 60_000 })
    await executor.start()
    if (executor.sandbox === undefined) throw new Error('It has no sandbox.')
    await using forwarded = await forwardPort(executor.sandbox, 8000, { waitTimeoutMs: 30_000 })
    const controller = new AbortController()
    const blocks = [{ language: 'python', code: application }]
    const execution = executor.execute(blocks, { signal: controller.signal })
    const answer = await fetch(forwarded.url, { method: 'POST', body: 'hello' })
    expect(await answer.text()).toBe('hello')
    controller.abort()
    expect((await execution).status).toBe('cancelled')
    await using after = await forwardPort(executor.sandbox, 8000, { waitTimeoutMs: 0 })
    await expect(fetch(after.url)).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } })
  })

  it('is cut off when the container is stopped', async () => {
    const sandbox = new DockerSandbox({ image })
    onTestFinished(() => sandbox.stop())
    await sandbox.start()
    await using forwarded = await forwardPort(sandbox, 8000, { waitTimeoutMs: 30_000 })
    await sandbox.spawn([
      'python3',
      '-c',
      `import socket\nconnection, _ = socket.create_server(('127.0.0.1', 8000)).accept()\nconnection.sendall(b'welcome')\nconnection.recv(1)`,
    ])
    const socket = connect(forwarded.port, '127.0.0.1')
    const ended = buffer(socket).catch((error) => error)
    await new Promise((resolve) => socket.once('readable', resolve))
    await sandbox.stop()
    expect(await ended).toMatchObject({ code: 'ECONNRESET' })
  })

  it('is forwarded as the README shows it', () => {
    const readme = readFileSync(new URL('../../../docs/ports.md', import.meta.url), 'utf8')
    const [shown, output] = extractCodeBlocks(readme).filter(({ language }) => language !== 'sh')
    const program = shown?.code.replace('python:3-slim', image) ?? ''
    const args = ['--conditions=@fenced/source', '--input-type=module-typescript', '--eval', program]
    const printed = execFileSync(process.execPath, args, { cwd: import.meta.dirname, encoding: 'utf8' })
    expect(printed).toBe(`${output?.code}\n`)
  })
})
