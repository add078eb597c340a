// @module-tag all

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileLedger } from '@fenced/core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { anywhere, FencedCommand, fenced } from './command.ts'
import { modelServer } from './model-server.ts'
import { bubblewrap, python } from './requirements.ts'

/** Starts the page, and comes in with the address that it prints. */
async function startPage(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'fenced-cli-web-'))
  const command = new FencedCommand(['web', '--port', '0', '--directory', directory, ...args], { env })
  onTestFinished(async () => {
    command.child.kill('SIGKILL')
    await command.ended
    await rm(directory, { recursive: true, force: true })
  })
  await command.printed('Ctrl-C ends it.')
  const end = async () => {
    command.child.kill('SIGINT')
    return command.ended
  }
  const url = new URL(/Open (\S+)/.exec(command.text)?.[1] ?? '')
  const send = (path: string, body: unknown, headers = {}) =>
    fetch(`${url.origin}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  const session = await send('/api/session', { token: url.hash.slice('#token='.length) })
  const headers = { Cookie: session.headers.get('set-cookie')?.split(';')[0] ?? '' }
  /** The events of a conversation as text, up to one that has these words. */
  const until = async (id: string, words: string) => {
    const stop = new AbortController()
    const path = `${url.origin}/api/conversations/${id}/events`
    const { body } = await fetch(path, { headers, signal: stop.signal })
    let text = ''
    for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk
      if (text.includes(words)) break
    }
    stop.abort()
    return text
  }
  return { end, until, text: command.text, post: (path: string, body: unknown) => send(path, body, headers) }
}

describe('fenced web', () => {
  it.skipIf(python.missing)('runs a document in its executor, after a question', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'fenced-cli-ledger-'))
    onTestFinished(() => rm(directory, { recursive: true, force: true }))
    const path = join(directory, 'ledger')
    const page = await startPage([...anywhere, '--max-wait', '5', '--ledger', path])
    expect(page.text).toContain('\nCode runs on this machine, not isolated, ')
    expect(page.text).toContain('\nNo model: the page runs documents only. For a model, use --model NAME')
    const document = { name: 'a.md', text: '~~~python\nprint(6 * 7)\n~~~' }
    const { id } = (await (
      await page.post('/api/conversations', { executor: 'local', document })
    ).json()) as {
      id: string
    }
    const asked = await page.until(id, '"type":"approval-requested"')
    expect(asked).toContain('"maxWaitMs":5000')
    const [, digest, question] = /"digest":"(\w+)","request":\{"kind":"code","id":"([^"]+)"/.exec(asked) ?? []
    const answer = { decision: 'allow' }
    await page.post(`/api/conversations/${id}/approvals/${question}`, { digest, answer })
    expect(await page.until(id, '"type":"turn-end"')).toContain('"text":"42\\n"')
    expect(await page.end()).toMatchObject({ code: 130, stderr: '' })
    expect(await fileLedger(path).list()).toMatchObject([
      { id: question, state: 'finished', decidedBy: 'person' },
    ])
  })

  it('asks a model of any server that speaks as OpenAI’s does, with the key of the environment', async () => {
    await using server = await modelServer({ answers: ['I am here.'] })
    const keyed = ['--model', 'm', '--base-url', server.baseUrl, '--api-key-env', 'OTHER_KEY']
    const page = await startPage([...anywhere, ...keyed], { OTHER_KEY: 'secret-key' })
    const started = await page.post('/api/conversations', { executor: 'local', model: 'm', text: 'Hello?' })
    const { id } = (await started.json()) as { id: string }
    expect(await page.until(id, '"type":"turn-end"')).toContain('I am here.')
    expect(server.asked.map(({ authorization }) => authorization)).toEqual(['Bearer secret-key'])
  })

  it('sends the key of OpenAI to no other server', async () => {
    await using server = await modelServer({ answers: ['I am here.'] })
    const page = await startPage([...anywhere, '--model', 'm', '--base-url', server.baseUrl], {
      OPENAI_API_KEY: 'secret-key',
    })
    const started = await page.post('/api/conversations', { executor: 'local', model: 'm', text: 'Hello?' })
    const { id } = (await started.json()) as { id: string }
    await page.until(id, '"type":"turn-end"')
    expect(server.asked.map(({ authorization }) => authorization)).toEqual([undefined])
    const { code, stderr } = await fenced([
      'web',
      ...anywhere,
      '--model',
      'm',
      '--api-key-env',
      'NO_SUCH_KEY',
    ])
    expect([code, stderr]).toEqual([2, expect.stringContaining('NO_SUCH_KEY')])
  })

  it.skipIf(bubblewrap.missing || python.missing)('asks about hosts that are in no list', async () => {
    const page = await startPage(['--isolation', 'bubblewrap', '--network', 'ask'])
    const text = '~~~python\nimport urllib.request\nurllib.request.urlopen("http://example.test/")\n~~~'
    const started = await page.post('/api/conversations', {
      executor: 'local',
      document: { name: 'a.md', text },
    })
    const { id } = (await started.json()) as { id: string }
    const asked = await page.until(id, '"type":"approval-requested"')
    const [, digest, question] = /"digest":"(\w+)","request":\{"kind":"code","id":"([^"]+)"/.exec(asked) ?? []
    await page.post(`/api/conversations/${id}/approvals/${question}`, {
      digest,
      answer: { decision: 'allow' },
    })
    expect(await page.until(id, '"kind":"network"')).toContain('example.test')
  })

  it('refuses a working directory: each conversation has one', async () => {
    const { code, stderr } = await fenced(['web', '--work-dir', '.'])
    expect(code).toBe(2)
    expect(stderr).toContain('--directory')
  })
})
