// @module-tag nightly

import { requirement } from '@fenced/testing'
import { describe, expect, inject, it } from 'vitest'
import { Project } from './project.ts'

const registry = requirement('registry', inject('registryProblem') || undefined)

/** A model server that asks for one tool after the other, and the harness of Pi with it, in a sandbox. */
const program = `
import { once } from 'node:events'
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { HarnessAgent } from '@ai-sdk/harness/agent'
import { createPi } from '@ai-sdk/harness-pi'
import { sandboxProvider } from '@fenced/ai-sdk'
import { LocalSandbox } from '@fenced/sandbox-local'

const calls = [
  ['write', { file_path: 'notes.txt', content: 'one two three' }],
  ['edit', { file_path: 'notes.txt', old_string: 'two', new_string: 'two four' }],
  ['bash', { command: 'wc -w < notes.txt; echo "$FROM"' }],
  ['read', { file_path: 'notes.txt' }],
]
const server = createServer(async (request, response) => {
  await json(request)
  response.setHeader('Content-Type', 'text/event-stream')
  const send = (delta, finish_reason = null) => {
    const choices = [{ index: 0, delta, finish_reason }]
    response.write(\`data: \${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices })}\\n\\n\`)
  }
  const [name, input] = calls.shift() ?? []
  if (name === undefined) send({ role: 'assistant', content: 'Done.' })
  else {
    const call = { index: 0, id: name, type: 'function', function: { name, arguments: JSON.stringify(input) } }
    send({ role: 'assistant', tool_calls: [call] })
  }
  send({}, name === undefined ? 'stop' : 'tool_calls')
  response.end('data: [DONE]\\n\\n')
})
await once(server.listen(0, '127.0.0.1'), 'listening')
const model = {
  id: 'm', name: 'm', reasoning: false, input: ['text'], cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 100_000, maxTokens: 1_000,
}
const baseUrl = \`http://127.0.0.1:\${server.address().port}/v1\`
const harness = createPi({
  auth: {},
  providers: { scripted: { baseUrl, apiKey: 'none', api: 'openai-completions', models: [model] } },
})
const create = () => new LocalSandbox({ env: { HOME: process.cwd(), FROM: 'the sandbox' } })
const agent = new HarnessAgent({ harness, model: 'scripted/m', sandbox: sandboxProvider({ create }) })
const session = await agent.createSession({ sessionId: 'pi' })
try {
  const { steps, text } = await agent.generate({ session, prompt: 'Write notes.' })
  const results = steps.flatMap(({ content }) => content.filter(({ type }) => type === 'tool-result'))
  const outputs = results.flatMap(({ toolName, output }) => (typeof output === 'string' ? [[toolName, output]] : []))
  console.log(JSON.stringify({ outputs, text }))
} finally {
  await session.destroy()
  server.close()
}
`

// Pi is 390 MB.
describe.skipIf(registry.missing)('the harness of Pi', () => {
  it('writes, changes and reads files and runs commands in a sandbox of ours', async () => {
    await using project = await Project.create()
    await project.install(['@fenced/ai-sdk', '@fenced/sandbox-local', '@ai-sdk/harness-pi@1.0.123', 'ai'])
    await project.write('pi.mjs', program)
    const lines = (await project.run(process.execPath, ['pi.mjs'])).trim().split('\n')
    expect(JSON.parse(lines.at(-1) ?? '')).toEqual({
      outputs: [
        ['write', 'Wrote notes.txt'],
        ['edit', 'Edited notes.txt'],
        ['bash', expect.stringMatching(/^4\nthe sandbox\n/)],
        ['read', 'one two four three'],
      ],
      text: 'Done.',
    })
  })
})
