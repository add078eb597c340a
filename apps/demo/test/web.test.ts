// @module-tag all

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { demoProgram, folder, python } from './demo.ts'
import { jupyter, jupyterEnvironment } from './jupyter.ts'

const ends: (() => Promise<unknown>)[] = []
afterAll(async () => {
  await Promise.all(ends.map((end) => end()))
})

/** Starts the page as a user does, and comes in with the address that it prints. */
async function startPage(env: Readonly<Record<string, string>> = {}, of?: string) {
  const directory = of ?? (await mkdtemp(join(folder, 'web-')))
  const [program, ...args] = demoProgram
  const child = spawn(program, [...args, 'web'], {
    env: { ...process.env, TMPDIR: folder, XDG_DATA_HOME: directory, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit')
  const end = async () => {
    if (child.exitCode === null) child.kill('SIGINT')
    return (await ended)[0] as number
  }
  ends.push(end)
  let printed = ''
  for await (const chunk of child.stdout) {
    printed += chunk
    if (printed.includes('ends it.')) break
  }
  const url = new URL(/Open (\S+)/.exec(printed)?.[1] ?? '')
  const post = (path: string, body: unknown, headers = {}) =>
    fetch(`${url.origin}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  const session = await post('/api/session', { token: url.hash.slice('#token='.length) })
  const headers = { Cookie: session.headers.get('set-cookie')?.split(';')[0] ?? '' }
  const problemOf = async (executor: string) => {
    const response = await fetch(`${url.origin}/api/executors`, { headers })
    const states = (await response.json()) as { id: string; problem?: { problem: string } }[]
    return states.find(({ id }) => id === executor)?.problem
  }
  const postAs = (path: string, body: unknown) => post(path, body, headers)
  return { url, end, headers, directory, problemOf, post: postAs }
}

type Page = Awaited<ReturnType<typeof startPage>>

/** Approves all that is asked until as many turns have ended, and returns its events as text. */
async function runToEnd({ url, headers, post }: Page, id: string, turns = 1): Promise<string> {
  const stop = new AbortController()
  const response = await fetch(`${url.origin}/api/conversations/${id}/events`, {
    headers,
    signal: stop.signal,
  })
  let text = ''
  let asked = 0
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk
    const questions = [
      ...text.matchAll(
        /"type":"approval-requested",[^{]*"digest":"(\w+)","request":\{"kind":"code","id":"([^"]+)"/g,
      ),
    ]
    for (const [, digest, question] of questions.slice(asked)) {
      await post(`/api/conversations/${id}/approvals/${question}`, { digest, answer: { decision: 'allow' } })
    }
    asked = questions.length
    if (text.split('"type":"turn-end"').length > turns) break
  }
  stop.abort()
  return text
}

/** Makes a package of one module, to be installed without a network. */
const makeWheel = `
import sys, zipfile
info = 'greeting-1.0.dist-info/'
with zipfile.ZipFile(sys.argv[1], 'w') as wheel:
    wheel.writestr('greeting.py', 'value = 42')
    wheel.writestr(info + 'METADATA', 'Metadata-Version: 2.1\\nName: greeting\\nVersion: 1.0\\n')
    wheel.writestr(info + 'WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
    wheel.writestr(info + 'RECORD', '')
`

describe('demo web', () => {
  it.skipIf(python.missing)(
    'serves the page, runs the scripted conversation and ends at Ctrl-C',
    async () => {
      const page = await startPage()
      expect(await (await fetch(page.url.origin)).text()).toContain('<title>Fenced</title>')
      // On a busy machine, a check may take longer than the page waits for it.
      await vi.waitFor(async () => expect(await page.problemOf('local')).toBeUndefined(), { timeout: 60_000 })
      const started = await page.post('/api/conversations', {
        executor: 'local',
        model: 'scripted',
        text: 'Go.',
      })
      const { id } = (await started.json()) as { id: string }
      const events = await runToEnd(page, id)
      expect(events.match(/"type":"code-end"/g)).toHaveLength(3)
      expect(events).toContain('"path":"collatz.png"')
      expect(events).toContain('"type":"turn-end","status":"done"')
      expect(await page.end()).toBe(130)
    },
  )

  it.skipIf(python.missing)(
    'installs the packages of a conversation into an environment of its own',
    { tags: 'nightly' },
    async () => {
      const page = await startPage()
      const wheel = join(page.directory, 'greeting-1.0-py3-none-any.whl')
      execFileSync('python3', ['-c', makeWheel, wheel])
      const document = { name: 'a.md', text: '~~~python\nimport greeting; print(greeting.value)\n~~~' }
      const packages = [`greeting @ file://${wheel}`]
      const started = await page.post('/api/conversations', { executor: 'local', packages, document })
      const { id } = (await started.json()) as { id: string }
      const events = await runToEnd(page, id)
      expect(events).toMatch(/"type":"notice","notice":\{"code":"install"/)
      expect(events).toContain('"text":"42\\n"')
    },
  )

  it.skipIf(jupyter.missing)(
    'has the HTML that a kernel shows in its events',
    { tags: 'nightly' },
    async () => {
      const page = await startPage({ PATH: `${join(jupyterEnvironment, 'bin')}:${process.env.PATH}` })
      const text = `~~~python
from IPython.display import HTML, display
display(HTML("<b>bold</b><script>parent.document.title = 1</script>"))
~~~`
      const document = { name: 'shows.md', text }
      const started = await page.post('/api/conversations', { executor: 'jupyter', document })
      const { id } = (await started.json()) as { id: string }
      expect(await runToEnd(page, id)).toContain('<b>bold</b>')
    },
  )

  it.skipIf(jupyter.missing)(
    'says that the variables of a kernel are lost when the server was started again',
    async () => {
      const env = { PATH: `${join(jupyterEnvironment, 'bin')}:${process.env.PATH}` }
      const first = await startPage(env)
      const document = { name: 'one.md', text: '~~~python\nx = 1\n~~~' }
      const started = await first.post('/api/conversations', { executor: 'jupyter', document })
      const { id } = (await started.json()) as { id: string }
      expect(await runToEnd(first, id)).not.toContain('are lost')
      await first.end()
      const again = await startPage(env, first.directory)
      await again.post(`/api/conversations/${id}/documents`, {
        name: 'two.md',
        text: '~~~python\nprint(x)\n~~~',
      })
      const events = await runToEnd(again, id, 2)
      expect(events).toMatch(/"code":"state-lost"/)
      expect(events).toMatch(/NameError.*all variables and imports are lost/)
    },
  )
})
