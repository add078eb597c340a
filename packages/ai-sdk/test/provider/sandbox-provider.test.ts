// @module-tag all

import { text } from 'node:stream/consumers'
import type { HarnessV1SandboxProvider } from '@ai-sdk/harness'
import type { createJustBashSandbox } from '@ai-sdk/sandbox-just-bash'
import { DockerSandbox } from '@fenced/sandbox-docker'
import { rowTags } from '@fenced/testing'
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest'
import { type NetworkSession, sandboxProvider } from '../../src/index.ts'
import { containerOptions, docker, makeProviders } from './providers.ts'

describe.each(await makeProviders())(
  'a sandbox $name, as the AI SDK sees it',
  rowTags({ nightly: ['in bubblewrap'] }),
  ({ name, missing, port, create, clean }) => {
    const provider = sandboxProvider({ create, ports: [port] })
    let session: NetworkSession

    beforeAll(async () => {
      if (!missing) session = await provider.createSession({ sessionId: 'named' })
    })
    afterAll(async () => {
      await session?.destroy()
      clean?.()
    })

    it.skipIf(missing)(
      'runs command lines of a shell, each in its directory and with its variables',
      async () => {
        const workingDirectory = `${session.defaultWorkingDirectory}/made`
        await session.run({ command: 'mkdir made' })
        const command = 'pwd; echo "$SAID" >&2; exit 3'
        const result = await session.run({ command, workingDirectory, env: { SAID: 'a b' } })
        expect(result).toEqual({ exitCode: 3, stdout: `${workingDirectory}\n`, stderr: 'a b\n' })
      },
    )

    it.skipIf(missing)('reads and writes files, by relative and absolute paths', async () => {
      const { stdout: home } = await session.run({ command: 'printf %s "$HOME"' })
      for (const folder of ['deep/down', `${home}/elsewhere/down`]) {
        const path = `${folder}/lines.txt`
        expect(await session.readTextFile({ path })).toBeNull()
        await session.writeTextFile({ path, content: 'one\ntwö\nthree\n' })
        expect(await session.readTextFile({ path, startLine: 2, endLine: 9 })).toBe('twö\nthree\n')
        await session.writeBinaryFile({ path, content: Buffer.from([0, 255]) })
        expect(new Uint8Array((await session.readBinaryFile({ path })) ?? [])).toEqual(
          new Uint8Array([0, 255]),
        )
      }
    })

    it.skipIf(missing)('lets a process go on whose output nobody reads, and kills one', async () => {
      const loud = await session.spawn({ command: 'head -c 5000000 /dev/zero >&2; echo done' })
      expect(await text(loud.stdout)).toBe('done\n')
      expect(await loud.wait()).toEqual({ exitCode: 0 })
      const long = await session.spawn({ command: 'echo begun; sleep 600' })
      for await (const _ of long.stdout) break
      await long.kill()
      expect((await long.wait()).exitCode).toBeGreaterThan(128)
    })

    it.skipIf(missing)('stops a command whose signal is aborted', async () => {
      const abortSignal = AbortSignal.timeout(500)
      await expect(session.run({ command: 'sleep 600', abortSignal })).rejects.toThrow('timeout')
    })

    it.skipIf(missing)(
      'leads from a port of this machine to one of its own, also before something listens',
      async () => {
        const { url } = await session.getPortEndpoint({ port, protocol: 'http' })
        const early = fetch(url).then((answer) => answer.text())
        const program = `require('node:http').createServer((_, answer) => answer.end('hello')).listen(${port}, '127.0.0.1', () => console.log('listens'))`
        const server = await session.spawn({ command: `exec node -e "$PROGRAM"`, env: { PROGRAM: program } })
        for await (const _ of server.stdout) break
        const answers = await Promise.all([1, 2, 3].map(async () => (await fetch(url)).text()))
        expect([await early, ...answers]).toEqual(['hello', 'hello', 'hello', 'hello'])
        await server.kill()
        await session.setPorts?.([])
        await expect(fetch(url)).rejects.toThrow()
        await expect(session.getPortEndpoint({ port })).rejects.toMatchObject({
          code: 'SANDBOX_INVALID_ARGUMENT',
          data: { port: `${port}`, ports: '' },
        })
        await session.setPorts?.([port])
      },
    )

    it.skipIf(missing)('takes the network policy that it has, and refuses every other one', async () => {
      const has = name === 'in a container without network' ? 'deny-all' : 'allow-all'
      const other = has === 'deny-all' ? 'allow-all' : 'deny-all'
      await session.setNetworkPolicy({ mode: has })
      const custom = { mode: 'custom', allowedHosts: ['example.com'] } as const
      for (const policy of [{ mode: other } as const, custom])
        await expect(session.setNetworkPolicy(policy)).rejects.toMatchObject({
          code: 'SANDBOX_INVALID_ARGUMENT',
          data: { mode: policy.mode, network: has },
        })
    })

    it.skipIf(missing)('is found again by its name while it runs', async () => {
      expect(await provider.resumeSession({ sessionId: 'named' })).toBe(session)
      const other = await provider.createSession()
      await other.stop()
      await expect(provider.resumeSession({ sessionId: other.id })).rejects.toMatchObject({
        code: 'SANDBOX_GONE',
        data: { sessionId: other.id },
      })
    })
  },
)

it.skipIf(docker.missing)('keeps the list of a sandbox whose network is one', async () => {
  const network = { allowedHosts: ['example.com'] } as const
  const provider = sandboxProvider({ create: () => new DockerSandbox({ ...containerOptions, network }) })
  const session = await provider.createSession()
  try {
    for (const policy of [{ mode: 'custom', ...network } as const, { mode: 'deny-all' } as const])
      await expect(session.setNetworkPolicy(policy)).rejects.toMatchObject({
        code: 'SANDBOX_INVALID_ARGUMENT',
        data: { mode: policy.mode, network: 'custom' },
      })
  } finally {
    await session.destroy()
  }
})

it('is what the harness takes, also the newest one', () => {
  expectTypeOf(sandboxProvider).returns.toExtend<HarnessV1SandboxProvider>()
  // The AI SDK's own provider is made for the newest.
  expectTypeOf(sandboxProvider).returns.toExtend<ReturnType<typeof createJustBashSandbox>>()
})
