#!/usr/bin/env node
// An agent of the Agent Client Protocol that asks no model: it writes each prompt into a file, counts its words with a
// command, and says what it did.

import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

const run = promisify(execFile)
const file = 'notes.txt'
let directory = process.cwd()
let prompts = 0

const methods = {
  initialize: async () => ({ protocolVersion: 1, agentCapabilities: {}, authMethods: [] }),
  'session/new': async ({ cwd }) => {
    directory = cwd
    return { sessionId: 'scripted' }
  },
  'session/prompt': async ({ prompt }) => {
    prompts++
    const text = prompt.map((part) => part.text ?? '').join('')
    say(`Prompt ${prompts}. `)
    await useTool(
      { title: `Write ${file}`, kind: 'edit', rawInput: { file_path: file, content: text } },
      async () => {
        await writeFile(`${directory}/${file}`, text)
        return `${text.length} characters`
      },
    )
    const words = await useTool(
      { title: 'Count the words', kind: 'execute', rawInput: { command: `wc -w ${file}` } },
      async () => (await run('wc', ['-w', file], { cwd: directory })).stdout.trim(),
    )
    say(`It has ${words.split(' ')[0]} words.`)
    return { stopReason: 'end_turn' }
  },
}

function say(text) {
  update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } })
}

let calls = 0
async function useTool(call, act) {
  const toolCallId = `call-${++calls}`
  update({ sessionUpdate: 'tool_call', toolCallId, status: 'in_progress', ...call })
  const text = await act()
  const content = [{ type: 'content', content: { type: 'text', text } }]
  update({ sessionUpdate: 'tool_call_update', toolCallId, status: 'completed', content, rawOutput: text })
  return text
}

function update(body) {
  send({ method: 'session/update', params: { sessionId: 'scripted', update: body } })
}

function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) continue
  const answer = methods[method]
  if (answer === undefined) send({ id, error: { code: -32601, message: `no method ${method}` } })
  else {
    answer(params).then(
      (result) => send({ id, result }),
      (error) => send({ id, error: { code: -32603, message: `${error}` } }),
    )
  }
}
