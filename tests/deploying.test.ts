// @module-tag all

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { extractCodeBlocks } from '@fenced/core'
import { expect, it } from 'vitest'
import { bubblewrap, environment, python } from './installed/needs.ts'

const page = readFileSync(join(import.meta.dirname, '../docs/deploying.md'), 'utf8')

it.skipIf(bubblewrap.missing || python.missing)(
  'the server of docs/deploying.md answers its open request after SIGTERM, stops and exits',
  async () => {
    const code = extractCodeBlocks(page).find(({ code }) => code.includes('SIGTERM'))?.code ?? ''
    await mkdir(join(import.meta.dirname, 'dist'), { recursive: true })
    const directory = await mkdtemp(join(import.meta.dirname, 'dist/deploying-'))
    try {
      const program = join(directory, 'server.mts')
      const listening = 'server.listen(0, () => console.log((server.address() as { port: number }).port))'
      await writeFile(program, code.replace('server.listen(8080)', listening))
      const server = spawn(process.execPath, ['--conditions=@fenced/source', program], {
        env: environment,
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const exited = once(server, 'exit')
      const [port] = await once(createInterface(server.stdout), 'line')
      const client = connect(Number(port), '127.0.0.1')
      const answer = text(client)
      const body = "print('answered')"
      const fields = ['Host: localhost', 'Connection: close', 'Expect: 100-continue']
      const head = ['POST / HTTP/1.1', ...fields, `Content-Length: ${body.length}`, '', '']
      client.write(head.join('\r\n'))
      // The request is open.
      await once(client, 'data')
      server.kill('SIGTERM')
      client.write(body)
      expect(await answer).toMatch(/^HTTP\/1\.1 100 .+HTTP\/1\.1 200 OK\r\n.*answered/s)
      expect(await exited).toEqual([0, null])
    } finally {
      await rm(directory, { recursive: true })
    }
  },
)
