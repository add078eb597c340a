// @module-tag all

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ExecOptions } from '@fenced/core/sandbox'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { CommandLineCodeExecutor } from '../../src/index.ts'
import { namespaces } from '../contained-backend.ts'
import { type LocalSandboxOptions, localSandbox } from '../local-sandbox.ts'
import { python } from '../python.ts'

const endHelper = `for p in /proc/[0-9]*; do grep -qa "$(printf '3128')" $p/cmdline && kill -9 \${p#/proc/}; done; true`

describe.skipIf(namespaces.missing || python.missing)('a supervised sandbox with a network by list', () => {
  const server = createServer((asked, answer) => answer.end(`${asked.url} for ${asked.headers.host}`))
  let port = 0
  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening')
    port = (server.address() as AddressInfo).port
  })
  afterAll(() => void server.close())

  function listed(options: LocalSandboxOptions = {}) {
    const allowlist = {
      allowedHosts: ['api.test'],
      allowedCIDRs: ['127.0.0.1/32'],
      ports: [port],
    } as const
    const made = localSandbox({
      hasNetwork: false,
      network: { allowlist, lookup: async () => ['127.0.0.1'] },
      ...options,
    })
    const executor = new CommandLineCodeExecutor({ sandbox: made.sandbox, warm: false })
    onTestFinished(async () => {
      await executor.stop()
      await made.sandbox.stop()
    })
    const ask = async (host: string) => {
      const code = [
        'import urllib.request, urllib.error',
        `try: print(urllib.request.urlopen('http://${host}:${port}/path').read().decode())`,
        'except urllib.error.HTTPError as error: print(error.code)',
      ]
      return executor.execute([{ language: 'python', code: code.join('\n') }])
    }
    return { ...made, executor, ask }
  }

  it('reaches what is in the list through its helper, and nothing else', async () => {
    const { ask } = listed()
    expect((await ask('api.test')).output).toBe(`/path for api.test:${port}\n`)
    expect((await ask('other.test')).output).toBe('403\n')
  })

  it('gets another helper before the next block when a program ended it', async () => {
    const { ask, executor } = listed()
    await executor.execute([{ language: 'sh', code: endHelper }])
    // The end of the helper comes over another connection than the end of the block, and can come later.
    await expect.poll(async () => (await ask('api.test')).output).toBe(`/path for api.test:${port}\n`)
  })

  it('runs a block without a network, and says so, if the helper cannot start again', async () => {
    const { executor, sandbox } = listed()
    await executor.execute([{ language: 'sh', code: endHelper }])
    const taking = `
import itertools, socket
for attempt in itertools.count():
    try: server = socket.create_server(('127.0.0.1', 3128))
    except OSError: continue
    print('taken', flush=True)
    server.accept()`
    const { stdout } = await sandbox.spawn(['python3', '-c', taking])
    for await (const _ of stdout) break
    const notices = async () => {
      const { blocks } = await executor.execute([{ language: 'sh', code: 'true' }])
      return blocks[0]?.notices
    }
    const data = { port: '3128', reason: expect.stringContaining('Address already in use') }
    await expect.poll(notices).toMatchObject([{ code: 'network-lost', data }])
  })

  it('is not used without an interpreter for the helper', async () => {
    const { sandbox, launches } = listed({
      change: ({ backend }) => ({
        backend: new Proxy(backend, {
          get(target, key) {
            const value = Reflect.get(target, key)
            if (key !== 'exec') return typeof value === 'function' ? value.bind(target) : value
            const without = ['env', 'PATH=/no/such/directory'] as const
            return (command: readonly string[], options: ExecOptions) =>
              target.exec([...without, ...command], options)
          },
        }),
      }),
    })
    await assert.rejects(sandbox.start(), { code: 'NETWORK_HELPER_FAILED' })
    expect(await launches[0]?.backend.state()).toBe('ended')
  })
})
