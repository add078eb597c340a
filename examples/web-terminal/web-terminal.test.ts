import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { requirement } from '@fenced/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'

const image = 'fenced-test/python'
const found = spawnSync('docker', ['image', 'inspect', image], { encoding: 'utf8' })
const docker = requirement('docker', found.status === 0 ? undefined : (found.error?.message ?? found.stderr))

/** A page that shows a terminal. */
class Page {
  readonly socket: WebSocket
  shown = ''

  constructor(address: string) {
    this.socket = new WebSocket(address)
    this.socket.on('message', (output) => {
      this.shown += output
    })
  }

  type(keys: string): void {
    this.socket.send(Buffer.from(keys))
  }

  async shows(text: string): Promise<void> {
    while (!this.shown.includes(text)) await once(this.socket, 'message')
  }

  async closed(): Promise<string> {
    const [, reason] = await once(this.socket, 'close')
    return `${reason}`
  }
}

describe.skipIf(docker.missing)('a terminal in a web socket', () => {
  let program: ChildProcess
  let address = ''

  beforeAll(async () => {
    const words = ['--conditions=@fenced/source', join(import.meta.dirname, 'web-terminal.ts'), image]
    program = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
    const [line] = await once(program.stdout as NonNullable<ChildProcess['stdout']>, 'data')
    address = `${line}`.trim()
  })
  afterAll(async () => {
    program.kill()
    await once(program, 'exit')
  })

  it('answers each line, in the size of the page, and ends with its exit code', async () => {
    const page = new Page(address)
    await page.shows('>>> ')
    page.socket.send('{"columns": 100, "rows": 30}')
    page.type('import os; tuple(os.get_terminal_size())\n')
    await page.shows('(100, 30)')
    page.type('while True: pass\n\n\x03')
    await page.shows('KeyboardInterrupt')
    const closed = page.closed()
    page.type('exit(3)\n')
    expect(await closed).toBe('exit code 3')
  })

  it('has a Python for each socket, and ends it with the socket', async () => {
    const [first, second] = [new Page(address), new Page(address)]
    await Promise.all([first.shows('>>> '), second.shows('>>> ')])
    first.type('import os, signal; number = os.getpid(); f"<{number}>"\n')
    await first.shows(">'")
    const number = /'<(\d+)>'/.exec(first.shown)?.[1]
    first.socket.close()
    second.type(
      `import os, time\nwhile os.path.exists("/proc/${number}"): time.sleep(0.05)\n\nprint("go" + "ne")\n`,
    )
    await second.shows('gone')
    second.socket.close()
  })

  it('refuses other paths, and what is not a size', async () => {
    const [error] = await once(new WebSocket(new URL('/', address)), 'error')
    expect(error.message).toContain('400')
    const page = new Page(address)
    await page.shows('>>> ')
    page.socket.send('{"columns": 0, "rows": 30}')
    expect(await page.closed()).toBe('not a size')
  })
})
