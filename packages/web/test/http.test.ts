import { once } from 'node:events'
import { link, mkdir, mkdtemp, open, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { type RequestOptions, request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { ScriptedModel } from '@fenced/agents/testing'
import { defineExecutor } from '@fenced/core/driver'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { openDescriptors } from '@fenced/testing'
import type { UIMessageChunk } from 'ai'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { buildPage } from '../scripts/build-page.ts'
import { createFencedWeb, loggedUIMessageStream } from '../src/index.ts'
import { Client, isQuestion, isQuestionAbout, isTurnEnd } from './client.ts'
import { team } from './hosted.ts'
import { bubblewrap, jupyter, python } from './requirements.ts'
import {
  httpServer,
  kernel,
  lastText,
  local,
  networkByList,
  program,
  serveInProcess,
  serveTest,
  type TestServer,
} from './served.ts'

let server: TestServer
let client: Client
beforeAll(async () => {
  await buildPage()
  server = await serveTest({ script: (_, prompt) => `You said: ${lastText(prompt).slice(0, 100)}` })
  client = await Client.of(server)
})
afterAll(async () => {
  await server?.[Symbol.asyncDispose]()
})

/** A request with any header, also those that fetch sets itself. */
async function raw(path: string, options: RequestOptions & { body?: string } = {}) {
  const { body, ...rest } = options
  const sent = request(`${server.origin}${path}`, rest)
  sent.end(body)
  const [response] = await once(sent, 'response')
  return { status: response.statusCode as number, headers: response.headers, body: await text(response) }
}

/** Its first answer reaches the limit of tokens. */
class CutModel extends ScriptedModel {
  override async doStream(options: Parameters<ScriptedModel['doStream']>[0]) {
    const { stream } = await super.doStream(options)
    const isCut = this.prompts.length === 1
    const cut: typeof stream = stream.pipeThrough(
      new TransformStream({
        transform: (part, controller) =>
          controller.enqueue(
            isCut && part.type === 'finish'
              ? { ...part, finishReason: { unified: 'length', raw: undefined } }
              : part,
          ),
      }),
    )
    return { stream: cut }
  }
}

const jsonType = { 'Content-Type': 'application/json' }

describe('who is let in', () => {
  it.each([
    ['GET', '/api/state'],
    ['GET', '/api/conversations'],
    ['GET', '/api/list'],
    ['GET', '/api/conversations/some/files/a.png'],
    ['POST', '/api/conversations'],
    ['POST', '/api/conversations/some/approvals/one'],
    ['DELETE', '/api/conversations/some'],
  ])('%s %s needs the cookie', async (method, path) => {
    const response = await fetch(`${server.origin}${path}`, { method })
    expect(response.status).toBe(401)
    expect(await response.json()).toEqual({ message: expect.any(String) })
  })

  it('gives no cookie for another token, and one that scripts cannot read for the right one', async () => {
    const post = (token: unknown) =>
      raw('/api/session', { method: 'POST', headers: jsonType, body: JSON.stringify({ token }) })
    for (const token of ['', 'wrong', `${server.token}x`, server.token.slice(1), 5, null]) {
      const { status, headers } = await post(token)
      expect([token, status, headers['set-cookie']]).toEqual([token, 401, undefined])
    }
    const { status, headers } = await post(server.token)
    expect(status).toBe(204)
    expect(headers['set-cookie']?.[0]).toMatch(/; HttpOnly; SameSite=Strict$/)
    expect(headers['set-cookie']?.[0]).not.toContain(server.token)
  })

  it.each(['{', 'null', '[]', '"token"', ''])(
    'refuses %j in place of a token with status 400',
    async (body) => {
      const response = await raw('/api/session', { method: 'POST', headers: jsonType, body })
      expect([response.status, JSON.parse(response.body)]).toEqual([400, { message: expect.any(String) }])
      expect(response.body).not.toMatch(/Error|Unexpected|undefined/)
    },
  )

  it.each([
    ['a name that points here', { Host: 'evil.example' }, 421],
    ['a name that begins as ours', { Host: '127.0.0.1.evil.example:80' }, 421],
    ['a page of another site', { Origin: 'https://evil.example' }, 403],
    ['another port of this machine', { Origin: 'http://127.0.0.1:1' }, 403],
    ['a page without an origin', { Origin: 'null' }, 403],
    ['a request that the browser calls foreign', { 'Sec-Fetch-Site': 'cross-site' }, 403],
    ['a page of the same machine', { 'Sec-Fetch-Site': 'same-site' }, 403],
  ])('refuses %s, also with the token', async (_, headers, status) => {
    const sent = {
      method: 'POST',
      headers: { ...jsonType, ...headers },
      body: JSON.stringify({ token: server.token }),
    }
    const response = await raw('/api/session', sent)
    expect(response.status).toBe(status)
    expect(response.headers['set-cookie']).toBeUndefined()
  })

  it('lets a link on another site open the page', async () => {
    const headers = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate' }
    expect((await raw('/', { headers })).status).toBe(200)
    expect((await raw('/api/conversations', { headers })).status).toBe(403)
  })

  it('sends the page with a policy that runs and loads nothing of others', async () => {
    const { status, headers, body } = await raw('/')
    expect(status).toBe(200)
    expect(body).toContain('<title>Fenced</title>')
    expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self';")
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers['referrer-policy']).toBe('no-referrer')
  })
})

describe('bodies', () => {
  it('refuses a body of the wrong form with a sentence', ({ everyRow }) =>
    everyRow(
      [
        ['no JSON', '{"executor":', jsonType, 400],
        ['another type', '{"executor":"local"}', { 'Content-Type': 'text/plain' }, 415],
        ['a form', 'executor=local', { 'Content-Type': 'application/x-www-form-urlencoded' }, 415],
        ['an unknown field', '{"executor":"local","text":"a","admin":true}', jsonType, 400],
        ['a wrong type', '{"executor":5}', jsonType, 400],
        ['an executor that is not there', '{"executor":"moon","text":"a"}', jsonType, 422],
        [
          'packages that nobody installs',
          '{"executor":"local","packages":["numpy"],"text":"a"}',
          jsonType,
          422,
        ],
        [
          'an option of pip as a package',
          '{"executor":"local","packages":["--pre"],"text":"a"}',
          jsonType,
          400,
        ],
        ['a model that is not there', '{"executor":"local","model":"moon","text":"a"}', jsonType, 422],
        [
          'a notebook that is none',
          '{"executor":"local","document":{"name":"a.ipynb","text":"{}"}}',
          jsonType,
          422,
        ],
        [
          'a document without code',
          '{"executor":"local","document":{"name":"a.md","text":"words"}}',
          jsonType,
          422,
        ],
        [
          'more than is read',
          JSON.stringify({ executor: 'local', text: 'x'.repeat(9_000_000) }),
          jsonType,
          413,
        ],
      ],
      async (_, body, headers, status) => {
        const before = await (await client.fetch('/api/conversations')).json()
        const response = await client.fetch('/api/conversations', { method: 'POST', body, headers })
        expect(response.status).toBe(status)
        expect(await response.json()).toEqual({ message: expect.any(String) })
        // Nothing is left behind.
        expect(await (await client.fetch('/api/conversations')).json()).toEqual(before)
      },
    ))

  it('answers for what is not there', async () => {
    expect((await client.fetch('/api/conversations/none/events')).status).toBe(404)
    expect((await client.fetch('/nothing.js')).status).toBe(404)
    expect((await client.fetch('/../package.json')).status).toBe(404)
    expect((await client.fetch('/assets/..%2f..%2f..%2fpackage.json')).status).toBe(404)
  })

  it('has the licenses of the libraries that are built into the page', async () => {
    const licenses = await (await client.fetch('/licenses.md')).text()
    for (const name of ['react-dom', 'dompurify', '@codemirror/view'])
      expect(licenses).toContain(`\n## ${name} - `)
    expect(licenses).toContain('Permission is hereby granted')
  })
})

describe('files', () => {
  it('gives no file but those below the directory of their conversation', async () => {
    const path = await client.start({ executor: 'local', model: 'scripted', text: 'Hello' })
    const directory = join(server.directory, 'files', path.split('/').at(-1) ?? '')
    await client.fetch(`${path}/files/sub/a.txt`, { method: 'PUT', body: 'inside' })
    await writeFile(join(server.directory, 'outside.txt'), 'outside')
    await symlink(join(server.directory, 'outside.txt'), join(directory, 'link.txt'))
    await symlink(server.directory, join(directory, 'linked'))
    const good = await client.fetch(`${path}/files/sub/a.txt`)
    expect([good.status, await good.text()]).toEqual([200, 'inside'])
    expect(good.headers.get('content-disposition')).toContain('attachment')
    expect(good.headers.get('content-security-policy')).toContain('sandbox')
    for (const name of [
      '..%2f..%2ftoken',
      '%2e%2e/%2e%2e/token',
      'sub/..%2f..%2f..%2ftoken',
      'link.txt',
      'linked/token',
      'linked%2ftoken',
      '%00',
      'sub',
      '%2fetc%2fpasswd',
    ]) {
      const response = await client.fetch(`${path}/files/${name}`)
      expect([name, response.status]).toEqual([
        name,
        expect.toSatisfy((status) => status === 400 || status === 404),
      ])
    }
    for (const name of ['..%2f..%2fevil', 'linked/evil', 'link.txt%2fevil']) {
      const response = await client.fetch(`${path}/files/${name}`, { method: 'PUT', body: 'evil' })
      expect([name, response.status]).toEqual([name, 400])
    }
    // A hard link is cut, and not written through.
    await link(join(server.directory, 'outside.txt'), join(directory, 'hard.txt'))
    await client.fetch(`${path}/files/hard.txt`, { method: 'PUT', body: 'new' })
    const outside = await client.fetch(`${path}/files/hard.txt`)
    expect(await outside.text()).toBe('new')
  })

  it('gives a file with any name, and answers HEAD without opening one for longer', async () => {
    const path = await client.start({ executor: 'local', model: 'scripted', text: 'Hello' })
    const name = `${path}/files/${encodeURIComponent('a\n b.txt')}`
    expect((await client.fetch(name, { method: 'PUT', body: 'inside' })).status).toBe(204)
    expect(await (await client.fetch(name)).text()).toBe('inside')
    for (let count = 0; count < 50; count++) {
      const { status, headers } = await client.fetch(name, { method: 'HEAD' })
      expect([status, headers.get('content-length')]).toEqual([200, '6'])
    }
    const open = () => [...openDescriptors().values()].filter((file) => file.endsWith(' b.txt'))
    await expect.poll(open).toEqual([])
  })

  it('never gives a page of a program as a page of this server', async () => {
    const path = await client.start({ executor: 'local', model: 'scripted', text: 'Hello' })
    for (const name of ['a.html', 'a.svg', 'a.js', 'a.png.html']) {
      await client.fetch(`${path}/files/${name}`, { method: 'PUT', body: '<script>alert(1)</script>' })
      const response = await client.fetch(`${path}/files/${name}?shown`)
      expect(response.headers.get('content-type')).toBe('application/octet-stream')
      expect(response.headers.get('content-disposition')).toContain('attachment')
    }
  })
})

describe('conversations', () => {
  it('cut a title between characters', { tags: 'all' }, async () => {
    const path = await client.start({
      executor: 'local',
      model: 'scripted',
      text: `${'a'.repeat(78)}👩‍👩‍👧 and more`,
    })
    const list = (await (await client.fetch('/api/conversations')).json()) as { id: string; title: string }[]
    expect(list.find(({ id }) => path.endsWith(id))?.title).toBe(`${'a'.repeat(78)}…`)
  })

  it('gives a model the beginning and the end of a long conversation', {
    tags: 'all',
  }, async () => {
    const model = new ScriptedModel((call) => `Answer ${call}.`)
    const models = [{ id: 'small', name: 'Small', model, maxInputTokens: 3_000 }]
    await using other = await serveTest({ models })
    const own = await Client.of(other)
    const path = await own.start({ executor: 'local', model: 'small', text: 'The task.' })
    let last = (await own.until(path, isTurnEnd)).at(-1)?.seq
    for (let index = 0; index < 12; index++) {
      await own.post(`${path}/messages`, { text: `Message ${index}. ${'x'.repeat(3_000)}` })
      last = (await own.until(path, isTurnEnd, last)).at(-1)?.seq
    }
    const sizes = model.prompts.map(
      (prompt) => JSON.stringify(prompt.filter(({ role }) => role !== 'system')).length,
    )
    expect(Math.max(...sizes)).toBeLessThan(15_000)
    const prompt = JSON.stringify(model.prompts.at(-1))
    expect(prompt).toContain('The task.')
    expect(prompt).toContain('Message 11.')
    expect(prompt).not.toContain('Message 6.')
  })

  it.skipIf(python.missing)(
    'runs no draft of a model whose template opens the reasoning',
    { tags: 'all' },
    async () => {
      const answer = `${program('print("draft")')}\n</think>\n${program('print("final")')}`
      const model = new ScriptedModel([answer, 'Done.'])
      const models = [{ id: 'thinker', name: 'Thinker', model, startsInReasoning: true }]
      await using other = await serveTest({ models })
      const own = await Client.of(other)
      const path = await own.start({ executor: 'local', model: 'thinker', text: 'Go.' })
      await own.approve(path)
      const events = await own.until(path, isTurnEnd)
      const blocks = events.flatMap(({ event }) => (event.type === 'code-start' ? event.blocks : []))
      expect(blocks.map(({ code }) => code)).toEqual(['print("final")'])
    },
  )

  it.skipIf(python.missing)(
    'asks again for a block that was cut off, and runs the whole one',
    { tags: 'all' },
    async () => {
      const model = new CutModel(['Look:\n```python\nprint(1', '```python\nprint(2)\n```\n', 'Done.'])
      await using other = await serveTest({ models: [{ id: 'short', name: 'Short', model }] })
      const own = await Client.of(other)
      const path = await own.start({ executor: 'local', model: 'short', text: 'Go.' })
      await own.approve(path)
      const events = (await own.until(path, isTurnEnd)).map(({ event }) => event)
      const blocks = events.flatMap((event) => (event.type === 'code-start' ? event.blocks : []))
      expect(blocks).toMatchObject([{ code: 'print(2)' }])
      expect(events.find(({ type }) => type === 'answer-end')).toMatchObject({
        text: 'Look:\n\n```python\nprint(2)\n```\n',
      })
      expect(events).toContainEqual(
        expect.objectContaining({ notice: expect.objectContaining({ code: 'answer-cut' }) }),
      )
    },
  )

  it('continues an answer that was cut off outside of a block', { tags: 'all' }, async () => {
    const model = new CutModel(['The sum is', ' 5050.'])
    await using other = await serveTest({ models: [{ id: 'short', name: 'Short', model }] })
    const own = await Client.of(other)
    const path = await own.start({ executor: 'local', model: 'short', text: 'Go.' })
    const events = (await own.until(path, isTurnEnd)).map(({ event }) => event)
    const text = events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : [])).join('')
    expect(text).toBe('The sum is 5050.')
    expect(events.flatMap((event) => (event.type === 'answer-end' ? [event.isCut] : []))).toEqual([undefined])
    expect(lastText(model.prompts[1] ?? [])).toContain('Continue exactly where it stopped')
  })

  it.skipIf(python.missing)(
    'runs, exports and is read as a stream of AI SDK UI',
    { tags: 'all' },
    async () => {
      await using other = await serveTest({ script: [program('print("```")\nprint(6 * 7)'), 'It is 42.'] })
      const own = await Client.of(other)
      const path = await own.start({ executor: 'local', model: 'scripted', text: 'Six times seven?' })
      expect((await own.approve(path)).status).toBe(204)
      const events = await own.until(path, isTurnEnd)
      const markdown = await (await own.fetch(`${path}/export.md`)).text()
      expect(markdown).toContain('# Six times seven?\n\n## Person')
      expect(markdown).toContain('**Run (python): ok, exit code 0**\n\n````text\n```\n42\n````')
      const notebook = JSON.parse(await (await own.fetch(`${path}/export.ipynb`)).text())
      expect(notebook.cells.map((cell: { cell_type: string }) => cell.cell_type)).toEqual([
        'markdown',
        'markdown',
        'code',
        'markdown',
      ])
      expect(notebook.cells[2].outputs).toEqual([
        { output_type: 'stream', name: 'stdout', text: '```\n42\n' },
      ])
      const chunks: UIMessageChunk[] = []
      for await (const chunk of loggedUIMessageStream(events)) chunks.push(chunk)
      expect(chunks[0]).toEqual({ type: 'start' })
      expect(chunks.at(-1)).toEqual({ type: 'finish' })
      const cut: UIMessageChunk[] = []
      for await (const chunk of loggedUIMessageStream(events.slice(0, -1))) cut.push(chunk)
      expect(cut.at(-1)).toEqual({ type: 'finish' })
      const said = chunks.flatMap((chunk) => (chunk.type === 'text-delta' ? [chunk.delta] : [])).join('')
      expect(said).toContain('It is 42.')
    },
  )

  it.skipIf(python.missing)(
    'starts nothing in a conversation that is being removed',
    { tags: 'all' },
    async () => {
      const stopping = Promise.withResolvers<void>()
      const mayStop = Promise.withResolvers<void>()
      let executors = 0
      const slow = {
        id: 'slow',
        name: 'Slow',
        createExecutor: ({ workDir }: { workDir: string }) => {
          executors++
          const executor = new LocalCommandLineCodeExecutor({ workDir })
          const stop = executor.stop.bind(executor)
          executor.stop = async () => {
            stopping.resolve()
            await mayStop.promise
            await stop()
          }
          return executor
        },
      }
      await using other = await serveTest({ script: [program('print(1)'), 'End.', 'No.'], executors: [slow] })
      const own = await Client.of(other)
      const path = await own.start({ executor: 'slow', model: 'scripted', text: 'Go.' })
      await own.approve(path)
      await own.until(path, isTurnEnd)
      const removed = own.fetch(path, { method: 'DELETE' })
      await stopping.promise
      expect((await own.post(`${path}/messages`, { text: 'And?' })).status).toBe(404)
      expect((await own.fetch(path, { method: 'DELETE' })).status).toBe(404)
      mayStop.resolve()
      expect((await removed).status).toBe(204)
      expect((await own.fetch(`${path}/files`)).status).toBe(404)
      expect(executors).toBe(1)
    },
  )

  it.skipIf(python.missing)(
    'refuses a second turn while one works, and an answer that comes twice',
    { tags: 'all' },
    async () => {
      await using other = await serveTest({ script: [program('print(1)'), 'End.'] })
      const own = await Client.of(other)
      const path = await own.start({ executor: 'local', model: 'scripted', text: 'Go.' })
      const asked = await own.until(path, isQuestion)
      expect((await own.post(`${path}/messages`, { text: 'And?' })).status).toBe(409)
      expect((await own.approve(path, { decision: 'maybe' })).status).toBe(400)
      expect((await own.approve(path)).status).toBe(204)
      await own.until(path, isTurnEnd)
      expect((await own.answer(path, asked, { decision: 'allow' })).status).toBe(409)
      expect((await own.post(`${path}/resume`, {})).status).toBe(409)
    },
  )

  it.skipIf(python.missing)(
    'refuses an answer that names another question, and continues to ask',
    { tags: 'all' },
    async () => {
      await using other = await serveTest({ script: [program('print(1)'), 'End.'] })
      const own = await Client.of(other)
      const path = await own.start({ executor: 'local', model: 'scripted', text: 'Go.' })
      const asked = (await own.until(path, isQuestion)).at(-1)?.event
      const { request, digest } = asked?.type === 'approval-requested' ? asked : {}
      expect(digest).toMatch(/^[0-9a-f]{64}$/)
      expect(digest).toBe(request?.digest)
      const send = (body: unknown) => own.post(`${path}/approvals/${request?.id}`, body)
      const answer = { decision: 'allow' }
      const refused = await send({ digest: digest?.replace(/./, 'x'), answer })
      expect(refused.status).toBe(409)
      expect(await refused.json()).toEqual({ message: expect.any(String) })
      expect((await send({ answer })).status).toBe(400)
      expect((await send(answer)).status).toBe(400)
      expect((await send({ digest, answer })).status).toBe(204)
      await own.until(path, isTurnEnd)
    },
  )

  it.skipIf(python.missing)('asks about a call of a tool in the same queue', { tags: 'all' }, async () => {
    await using other = await serveTest({
      script: [program('import tools\nprint(tools.lookup(word="fence"))'), 'End.'],
      tools: {
        lookup: {
          description: 'Looks a word up.',
          needsApproval: true,
          execute: ({ word }: { word: string }) => `${word}!`,
        },
      },
    })
    const own = await Client.of(other)
    const path = await own.start({ executor: 'local', model: 'scripted', text: 'Look it up.' })
    await own.approve(path)
    const events = await own.until(path, isQuestionAbout('tool'))
    expect(events.at(-1)?.event).toMatchObject({ request: { tool: 'lookup', input: { word: 'fence' } } })
    await own.answer(path, events, { decision: 'allow' })
    const text = JSON.stringify(await own.until(path, isTurnEnd))
    expect(text).toContain('fence!')
  })

  it.skipIf(jupyter.missing)(
    'keeps no secret that a program reads, and withdraws what it asks when it is stopped',
    { tags: 'all' },
    async () => {
      await using other = await serveTest({ executors: [kernel], script: [] })
      const own = await Client.of(other)
      const code = 'from getpass import getpass\nprint(len(getpass("Key: ")))\ninput("Go on? ")'
      const path = await own.start({ executor: 'kernel', document: { name: 'ask.md', text: program(code) } })
      await own.approve(path)
      const asked = await own.until(path, isQuestionAbout('input'))
      expect(asked.at(-1)?.event).toMatchObject({ request: { prompt: 'Key: ', isSecret: true } })
      const { seq = 0 } = asked.at(-1) ?? {}
      expect((await own.answer(path, asked, { decision: 'allow' })).status).toBe(400)
      expect((await own.answer(path, asked, { decision: 'answer', text: 'hunter2' })).status).toBe(204)
      await own.until(path, isQuestionAbout('input'), seq)
      await own.post(`${path}/stop`, {})
      const events = await own.until(path, isTurnEnd)
      expect(events.map(({ event }) => event.type)).toContain('approval-withdrawn')
      expect(JSON.stringify(events)).toMatch(/"text":"Key: \\n7\\n/)
      expect(JSON.stringify(events)).not.toContain('hunter2')
    },
  )

  it.skipIf(bubblewrap.missing)(
    'withdraws a question about a connection for which nothing waits, and keeps an answer for a conversation',
    { tags: 'all' },
    async () => {
      await using target = await httpServer('answered')
      const get = (timeout: number) => `import os, urllib.request
for name in ('no_proxy', 'NO_PROXY'): os.environ.pop(name, None)
try: print(urllib.request.urlopen('http://localhost:${target.port}/', timeout=${timeout}).read().decode())
except OSError as error: print('failed:', error)
`
      const executors = [networkByList(target.port)]
      const first = await serveTest({ executors, script: [] })
      const directory = first.directory
      onTestFinished(() => rm(directory, { recursive: true, force: true }))
      const own = await Client.of(first)
      const document = (timeout: number) => ({ name: 'get.md', text: program(get(timeout)) })
      const path = await own.start({ executor: 'listed', document: document(0.3) })
      await own.approve(path)
      const events = await own.until(path, isTurnEnd)
      expect(events.map(({ event }) => event.type)).toContain('approval-withdrawn')
      // Python writes a line in pieces, so it can be in several events.
      const ends = events.flatMap(({ event }) => (event.type === 'code-end' ? [event.content] : []))
      expect(ends).toEqual([expect.stringMatching(/failed: .*timed out/)])
      const { seq = 0 } = events.at(-1) ?? {}
      await own.post(`${path}/documents`, document(30))
      await own.approve(path, { decision: 'allow' }, seq)
      const asked = await own.until(path, isQuestionAbout('network'), seq)
      await own.answer(path, asked, { decision: 'allow', remember: 'conversation' })
      const { seq: end = 0 } = (await own.until(path, isTurnEnd, seq)).at(-1) ?? {}
      await first.close()
      await using again = await serveTest({ executors, directory })
      const next = await Client.of(again)
      await next.post(`${path}/documents`, document(30))
      await next.approve(path, { decision: 'allow' }, end)
      const later = await next.until(path, isTurnEnd, end)
      expect(later.filter(({ event }) => isQuestionAbout('network')(event))).toEqual([])
      expect(JSON.stringify(later)).toContain('answered')
    },
  )

  it('shows a model that takes pictures what programs plot, and no other', { tags: 'all' }, async () => {
    const png = 'iVBORw0KGgo='
    const plots = defineExecutor({
      name: 'plots',
      languages: ['python'],
      driver: () => ({
        run: async (_, io) => {
          // A display that a program changes is one picture.
          for (const [displayId, data] of [
            ['a', 'b2xk'],
            ['a', png],
            ['b', png],
          ] as const)
            io.result({ 'image/png': data }, { displayId })
          return { exitCode: 0 }
        },
      }),
    })
    const model = new ScriptedModel((call) => (call % 2 === 0 ? program('plot()') : 'It rises.'))
    await using other = await serveTest({
      executors: [{ id: 'plots', name: 'Plots', createExecutor: () => plots() }],
      models: [
        { id: 'sees', name: 'Sees', model, pictures: true },
        { id: 'reads', name: 'Reads', model },
      ],
    })
    const own = await Client.of(other)
    const shown = async (id: string) => {
      const path = await own.start({ executor: 'plots', model: id, text: 'Plot.' })
      await own.approve(path)
      await own.until(path, isTurnEnd)
      const { content } = model.prompts.at(-1)?.at(-1) ?? { content: [] }
      return (content as { type: string; mediaType?: string; data?: unknown }[]).filter(
        ({ type }) => type === 'file',
      )
    }
    const picture = expect.objectContaining({ mediaType: 'image/png' })
    const pictures = await shown('sees')
    expect(pictures).toEqual([picture, picture])
    expect(JSON.stringify(pictures)).not.toContain('b2xk')
    expect(await shown('reads')).toEqual([])
  })

  it('says why a model failed, and goes on when it is asked to', { tags: 'all' }, async () => {
    let isBroken = true
    await using other = await serveTest({
      script: () => {
        if (isBroken) throw new Error('The model is out of order.')
        return 'Here I am.'
      },
    })
    const own = await Client.of(other)
    const path = await own.start({ executor: 'local', model: 'scripted', text: 'Hello?' })
    const failed = (await own.until(path, isTurnEnd)).at(-1)
    expect(failed?.event).toMatchObject({
      status: 'failed',
      message: expect.stringContaining('out of order'),
    })
    isBroken = false
    expect((await own.post(`${path}/resume`, {})).status).toBe(202)
    const events = await own.until(path, isTurnEnd, failed?.seq)
    const said = events.map(({ event }) => (event.type === 'text-delta' ? event.text : '')).join('')
    expect(said).toBe('Here I am.')
  })

  it.skipIf(python.missing)(
    'keeps sixteen executors, and makes the others new when they are used again',
    { tags: 'nightly' },
    async () => {
      let made = 0
      let stopped = 0
      const createExecutor = ({ workDir }: { readonly workDir: string }) => {
        const executor = new LocalCommandLineCodeExecutor({ workDir })
        const stop = executor.stop.bind(executor)
        made++
        executor.stop = async () => {
          await stop()
          stopped++
        }
        return executor
      }
      await using other = await serveTest({ executors: [{ id: 'local', name: 'Local', createExecutor }] })
      const own = await Client.of(other)
      const document = { name: 'a.md', text: '~~~sh\necho "$((6 * 7))"\n~~~' }
      const paths: string[] = []
      for (let count = 0; count < 18; count++) {
        const path = await own.start({ executor: 'local', document })
        await own.approve(path)
        await own.until(path, isTurnEnd)
        paths.push(path)
      }
      await expect.poll(() => [made, stopped]).toEqual([18, 2])
      const [first = ''] = paths
      const { seq = 0 } = (await own.until(first, isTurnEnd)).at(-1) ?? {}
      await own.post(`${first}/documents`, document)
      await own.approve(first, { decision: 'allow' }, seq)
      expect(JSON.stringify(await own.until(first, isTurnEnd, seq))).toContain('42')
      expect(made).toBe(19)
    },
  )

  it.skipIf(python.missing)(
    'bounds what a log keeps of a program that prints without end',
    { tags: 'all' },
    async () => {
      await using other = await serveTest({
        script: [
          program('head -c 300000000 /dev/zero | tr "\\0" x; echo the end', { language: 'sh' }),
          'End.',
        ],
      })
      const own = await Client.of(other)
      const path = await own.start({ executor: 'local', model: 'scripted', text: 'Print.' })
      const heapBefore = process.memoryUsage().heapUsed
      await own.approve(path)
      const events = await own.until(path, isTurnEnd)
      const output = events.flatMap(({ event }) =>
        event.type === 'code' && event.event.type === 'stdout' ? [event.event.text] : [],
      )
      const length = output.reduce((sum, piece) => sum + piece.length, 0)
      expect(length).toBeGreaterThan(4_000_000)
      expect(length).toBeLessThan(5_000_000)
      expect(output.at(-1)).toContain('the end')
      expect(process.memoryUsage().heapUsed - heapBefore).toBeLessThan(200_000_000)
    },
  )
})

describe('the server', () => {
  it('serves fifty readers, and one that takes nothing costs nothing', { tags: 'nightly' }, async () => {
    await using other = await serveTest({ script: ['word '.repeat(20_000)] })
    const own = await Client.of(other)
    const path = await own.start({ executor: 'local', model: 'scripted', text: 'Say much.' })
    const { port } = new URL(other.origin)
    // It asks, and never reads.
    const idle = connect(Number(port), '127.0.0.1')
    idle.pause()
    idle.write(`GET ${path}/events HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nCookie: ${own.cookie}\r\n\r\n`)
    const all = await Promise.all(Array.from({ length: 50 }, () => own.until(path, isTurnEnd)))
    const [first] = all
    expect(new Set(all.map((events) => JSON.stringify(events)))).toEqual(new Set([JSON.stringify(first)]))
    idle.destroy()
  })

  it('takes a stream up where a reader was', { tags: 'all' }, async () => {
    const path = await client.start({ executor: 'local', model: 'scripted', text: 'One two three' })
    const events = await client.until(path, isTurnEnd)
    const middle = events[2]?.seq ?? 0
    expect(await client.until(path, isTurnEnd, middle)).toEqual(events.slice(3))
    // As a browser does that connects again.
    const stop = new AbortController()
    const headers = { 'Last-Event-ID': `${middle}` }
    const again = await client.fetch(`${path}/events`, { headers, signal: stop.signal })
    const { value } = (await again.body?.pipeThrough(new TextDecoderStream()).getReader().read()) ?? {}
    expect(value).toContain(`"seq":${middle + 1},`)
    expect(value).not.toContain(`"seq":${middle},`)
    stop.abort()
  })

  it.skipIf(python.missing)(
    'keeps everything when it is killed, and ends in the log what it was killed in',
    { tags: 'all' },
    async () => {
      const directory = await mkdtemp(join(tmpdir(), 'fenced-web-killed-'))
      const answer = program('import time; print("begun", flush=True); time.sleep(5)')
      await using killed = await serveInProcess(directory, answer)
      const own = await Client.of(killed)
      const path = await own.start({ executor: 'local', model: 'scripted', text: 'Begin.' })
      await own.approve(path)
      await own.until(path, (event) => event.type === 'code' && event.event.type === 'stdout')
      await killed.kill()
      await using again = await serveTest({ directory, script: [program('print("again")'), 'End.'] })
      const next = await Client.of(again)
      const events = await next.until(path, isTurnEnd)
      expect(JSON.stringify(events)).toContain('begun')
      expect(events.slice(-2).map(({ event }) => event)).toEqual([
        expect.objectContaining({
          type: 'code-end',
          result: expect.objectContaining({ status: 'interrupted' }),
        }),
        { type: 'turn-end', status: 'interrupted' },
      ])
      await again.close()
      await rm(directory, { recursive: true, force: true })
    },
  )

  it('is one to a directory', { tags: 'all' }, async () => {
    const options = { executors: [{ id: 'a', name: 'A', createExecutor: () => Promise.reject(new Error()) }] }
    const create = () => createFencedWeb({ ...options, directory: server.directory })
    expect(create).toThrow(expect.objectContaining({ code: 'DIRECTORY_IN_USE' }))
  })

  it('leaves alone what another version has written', { tags: 'all' }, async () => {
    const directory = await mkdtemp(join(tmpdir(), 'fenced-web-other-'))
    onTestFinished(() => rm(directory, { recursive: true, force: true }))
    await (await serveTest({ directory })).close()
    const database = new DatabaseSync(join(directory, 'conversations.sqlite'))
    database.exec('PRAGMA user_version = 7')
    database.close()
    await expect(serveTest({ directory })).rejects.toMatchObject({
      code: 'CONVERSATIONS_OF_ANOTHER_VERSION',
      data: { path: directory, version: '7', supportedVersion: '3' },
    })
  })

  it.each<[string, (database: string) => Promise<void>]>([
    ['has foreign bytes', (database) => writeFile(database, 'not a database '.repeat(1_000))],
    ['is empty', (database) => truncate(database)],
    [
      'has a damaged page',
      async (database) => {
        await using file = await open(database, 'r+')
        await file.write(Buffer.alloc(4_096, 0xff), 0, 4_096, 4_096)
      },
    ],
  ])('does not start with a database that %s, and names it', { tags: 'all' }, async (_, damage) => {
    const directory = await mkdtemp(join(tmpdir(), 'fenced-web-damaged-'))
    onTestFinished(() => rm(directory, { recursive: true, force: true }))
    await (await serveTest({ directory })).close()
    await mkdir(join(directory, 'files/conversation'), { recursive: true })
    const database = join(directory, 'conversations.sqlite')
    await damage(database)
    const before = await readFile(database)
    await expect(serveTest({ directory })).rejects.toMatchObject({
      code: 'CONVERSATIONS_DAMAGED',
      data: { path: database },
    })
    expect(await readFile(database)).toEqual(before)
  })

  it('says what is wrong with its options', { tags: 'all' }, () => {
    const create = () => createFencedWeb({ executors: [], directory: '/nowhere', tokn: 'x' } as never)
    expect(create).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTIONS',
        data: { option: 'executors, tokn', suggestion: 'token' },
      }),
    )
  })

  it('refuses an agent with the id of a model', { tags: 'all' }, () => {
    const models = [{ id: 'same', name: 'Same', model: new ScriptedModel([]) }]
    const agents = { same: team }
    const create = () => createFencedWeb({ executors: [local], models, agents, directory: '/nowhere' })
    expect(create).toThrow(expect.objectContaining({ code: 'INVALID_OPTIONS', data: { option: 'agents' } }))
  })

  it('says what an executor lacks, and does not wait for ever', { tags: 'nightly' }, async () => {
    const problem = { problem: 'There is no engine.', repair: 'systemctl start docker' }
    await using other = await serveTest({
      executors: [
        {
          id: 'none',
          name: 'None',
          createExecutor: () => Promise.reject(new Error('no')),
          check: async () => problem,
        },
        {
          id: 'late',
          name: 'Late',
          createExecutor: () => Promise.reject(new Error('no')),
          check: () => delay(60_000, undefined, { ref: false }),
        },
      ],
    })
    const own = await Client.of(other)
    expect(await (await own.fetch('/api/executors')).json()).toEqual([
      { id: 'none', name: 'None', takesPackages: false, problem },
      {
        id: 'late',
        name: 'Late',
        takesPackages: false,
        problem: expect.objectContaining({ problem: expect.stringContaining('5 seconds') }),
      },
    ])
  })
})
