import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { BackendProcess, ExecOptions } from '@fenced/core/sandbox'
import { processesLeft, rowTags, uniqueSeconds } from '@fenced/testing'
import { afterAll, describe, expect, it } from 'vitest'
import { LocalSdkSandbox } from './local-sdk.ts'
import { newDirectory, SdkTextSandbox } from './sdk-backend.ts'
import { textBackend } from './text-backend.ts'
import type { TextProcess, TextStartOptions } from './text-sandbox.ts'
import { framesAhead } from './text-script.ts'

const sdk = await LocalSdkSandbox.create(newDirectory())
afterAll(() => sdk.kill())

const options = (changes: Partial<ExecOptions> = {}): ExecOptions => ({
  ...{ cwd: '/', env: {}, stdin: true, signal: AbortSignal.timeout(60_000) },
  ...changes,
})

const shell = (script: string) => ['/bin/sh', '-c', script] as const

async function outputOf(process: BackendProcess): Promise<{ stdout: Buffer; stderr: Buffer }> {
  const chunks = { stdout: [] as Buffer[], stderr: [] as Buffer[] }
  await process.read((stream, chunk) => void chunks[stream].push(Buffer.from(chunk)))
  return { stdout: Buffer.concat(chunks.stdout), stderr: Buffer.concat(chunks.stderr) }
}

/** A backend whose SDK does something else. */
function backendThat(change: (process: TextProcess, options: TextStartOptions) => Partial<TextProcess>) {
  class Changed extends SdkTextSandbox {
    override async start(commandLine: string, given: TextStartOptions): Promise<TextProcess> {
      const process = await super.start(commandLine, given)
      return { ...process, ...change(process, given) }
    }
  }
  return textBackend(new Changed(sdk))
}

const backend = textBackend(new SdkTextSandbox(sdk))

const rows = rowTags({ all: ['10 MiB'] })

describe('a backend over text', () => {
  const inputs: readonly (readonly [what: string, bytes: Buffer])[] = [
    ['nothing', Buffer.alloc(0)],
    ['a single byte', Buffer.of(0)],
    [
      'NUL, every byte, and bytes that are not UTF-8',
      Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)),
    ],
    ['a half of a character', Buffer.from('\u{1f600}').subarray(0, 2)],
    ['lines that look like frames', Buffer.from('o 4 aGkK\nx 0\nq\n')],
    ['one byte more than a frame', randomBytes(36 * 1024 + 1)],
    ['10 MiB', randomBytes(10 * 2 ** 20)],
  ]
  it.each(inputs)('passes %s through a command, both ways', rows, async (_, bytes) => {
    const process = await backend.exec(shell('tee /dev/stderr; exit 7'), options())
    process.stdin?.end(bytes)
    const { stdout, stderr } = await outputOf(process)
    expect(stdout.equals(bytes)).toBe(true)
    expect(stderr.equals(bytes)).toBe(true)
    expect(await process.poll()).toBe(7)
  })

  it('ends stdin where it ends, in the middle of output', async () => {
    const process = await backend.exec(shell('cat; echo the end; sleep 0.2; echo after it'), options())
    process.stdin?.write('some')
    await delay(50)
    process.stdin?.end(' input\n')
    expect(`${(await outputOf(process)).stdout}`).toBe('some input\nthe end\nafter it\n')
  })

  it('takes arguments beyond what one argument of a program holds', async () => {
    const words = Array.from({ length: 30_000 }, (_, index) => `word '${index}'`)
    const process = await backend.exec(
      [...shell('echo $#; shift $(($# - 1)); echo "$1"'), 'sh', ...words],
      options(),
    )
    expect(`${(await outputOf(process)).stdout}`).toBe("30000\nword '29999'\n")
  })

  it('drops what a command does not read, and waits for nothing', async () => {
    const process = await backend.exec(shell('exit 4'), options())
    process.stdin?.end(randomBytes(3 * 2 ** 20))
    await outputOf(process)
    expect(await process.poll()).toBe(4)
  })

  it('is held up by a sink, and gets at most some frames ahead of it', { tags: 'all' }, async () => {
    let frames = 0
    class Counted extends SdkTextSandbox {
      override start(commandLine: string, given: TextStartOptions): Promise<TextProcess> {
        const onStdout = (text: string) => {
          frames += text.split('o ').length - 1
          given.onStdout(text)
        }
        return super.start(commandLine, { ...given, onStdout })
      }
    }
    const counted = textBackend(new Counted(sdk))
    const process = await counted.exec(shell('head -c 20000000 /dev/zero'), options())
    let received = 0
    let ahead = 0
    let taken = 0
    await process.read(async (_, chunk) => {
      received += chunk.length
      if (taken === 0) await delay(300)
      ahead = Math.max(ahead, frames - taken++)
    })
    expect(received).toBe(20_000_000)
    expect(ahead).toBeGreaterThan(1)
    expect(ahead).toBeLessThanOrEqual(framesAhead + 1)
  })

  it('leaves nothing of a command whose connection is let go of', async () => {
    const seconds = uniqueSeconds()
    const process = await backend.exec(shell(`cat > /dev/null; exec sleep 0.${seconds}`), options())
    process.destroy()
    await process.read(() => {})
    await expect.poll(() => processesLeft(`0.${seconds}`)).toEqual([])
  })
})

describe('an SDK', () => {
  it('that adds a banner to the output is refused', async () => {
    const noisy = backendThat((_, { onStdout }) => {
      onStdout('Welcome!\n')
      return {}
    })
    await expect(noisy.exec(['true'], options())).rejects.toMatchObject({
      code: 'CONTAINER_UNUSABLE',
      data: { output: 'Welcome!' },
    })
  })

  it('that starts a command as another user is refused', async () => {
    await expect(backend.exec(['true'], options({ user: '54321:54321' }))).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      data: { user: '54321:54321', option: 'user' },
    })
  })

  it('that cuts the connection ends the output, without an exit code', async () => {
    const cut = Promise.withResolvers<undefined>()
    const process = await backendThat(() => ({ ended: cut.promise })).exec(shell('echo one; cat'), options())
    const chunks: string[] = []
    await process.read((_, chunk) => {
      chunks.push(`${Buffer.from(chunk)}`)
      cut.resolve(undefined)
    })
    expect(chunks).toEqual(['one\n'])
    expect(await process.poll()).toBe(undefined)
    process.destroy()
  })

  it('whose sandbox lacks a program says which', async () => {
    class Bare extends SdkTextSandbox {
      override start(commandLine: string, given: TextStartOptions): Promise<TextProcess> {
        return super.start(`PATH=/nowhere; export PATH; ${commandLine}`, given)
      }
    }
    await expect(textBackend(new Bare(sdk)).exec(['true'], options())).rejects.toMatchObject({
      code: 'CONTAINER_UNUSABLE',
      data: { reason: 'there is no base64' },
    })
  })
})
