import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { LocalSandbox } from '@fenced/sandbox-local'
import { generateText, isStepCount } from 'ai'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  claudeBash,
  claudeTextEditor,
  openaiShell,
  type SandboxSession,
  toSandboxSession,
} from '../../src/index.ts'
import { modelServer } from '../model-server.ts'

// The providers' own packages, against servers that answer in their protocols.

const sandbox = new LocalSandbox()
let session: SandboxSession

beforeAll(async () => {
  await sandbox.start()
  session = toSandboxSession(sandbox)
})
afterAll(() => sandbox.stop())

it('gives OpenAI’s shell tool what its protocol wants', async () => {
  const response = {
    object: 'response',
    created_at: 1,
    model: 'any',
    status: 'completed',
    usage: { input_tokens: 1, output_tokens: 1 },
  }
  const action = { commands: ['echo out; exit 3'], timeout_ms: 5_000, max_output_length: 1_000 }
  const said = {
    type: 'message',
    id: 'm',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'Done.', annotations: [] }],
  }
  const { asked, baseURL } = await modelServer([
    {
      ...response,
      id: 'r1',
      output: [{ type: 'shell_call', id: 's', call_id: 'c', status: 'completed', action }],
    },
    { ...response, id: 'r2', output: [said] },
  ])
  const openai = createOpenAI({ baseURL, apiKey: 'none' })
  const { text } = await generateText({
    model: openai.responses('any'),
    prompt: 'Run it.',
    tools: { shell: openai.tools.shell(openaiShell(session)) },
    stopWhen: isStepCount(3),
  })
  expect(text).toBe('Done.')
  expect(asked[0].tools).toMatchObject([{ type: 'shell' }])
  expect(asked[1].input.at(-1)).toMatchObject({
    type: 'shell_call_output',
    call_id: 'c',
    max_output_length: 1_000,
    output: [{ stdout: 'out\n', stderr: '', outcome: { type: 'exit', exit_code: 3 } }],
  })
})

const message = {
  type: 'message',
  role: 'assistant',
  model: 'any',
  usage: { input_tokens: 1, output_tokens: 1 },
}
const saysDone = {
  ...message,
  id: 'end',
  content: [{ type: 'text', text: 'Done.' }],
  stop_reason: 'end_turn',
}

/** An answer of Claude that wants a tool. */
function uses(name: string, input: object): object {
  const content = [{ type: 'tool_use', id: `use-${name}`, name, input }]
  return { ...message, id: name, content, stop_reason: 'tool_use' }
}

/** The results of tools in the last request to Claude. */
function resultsIn(asked: readonly { messages: { content: { type: string }[] }[] }[]): object[] {
  return (asked.at(-1)?.messages ?? []).flatMap(({ content }) =>
    content.filter(({ type }) => type === 'tool_result'),
  )
}

it.each(['bash_20241022', 'bash_20250124'] as const)(
  'is all that Anthropic’s own %s needs',
  async (version) => {
    const command = 'pwd | wc -l; echo late >&2; exit 3'
    const { asked, baseURL } = await modelServer([uses('bash', { command }), saysDone])
    const anthropic = createAnthropic({ baseURL, apiKey: 'none' })
    const { text } = await generateText({
      model: anthropic('claude-sonnet-4-5'),
      prompt: 'Run it.',
      tools: { bash: anthropic.tools[version]() },
      stopWhen: isStepCount(3),
      experimental_sandbox: session,
    })
    expect(text).toBe('Done.')
    expect(asked[0].tools).toMatchObject([{ type: version, name: 'bash' }])
    const [result] = resultsIn(asked) as { content: string }[]
    expect(JSON.parse(result?.content ?? '')).toEqual({ exitCode: 3, stdout: '1\n', stderr: 'late\n' })
  },
)

it('gives Claude’s bash and text editor tools what their protocol wants', async () => {
  const { asked, baseURL } = await modelServer([
    uses('str_replace_based_edit_tool', { command: 'create', path: 'note.txt', file_text: 'hello\n' }),
    uses('bash', { command: 'cat note.txt' }),
    uses('str_replace_based_edit_tool', {
      command: 'str_replace',
      path: 'note.txt',
      old_str: 'none',
      new_str: '',
    }),
    saysDone,
  ])
  const anthropic = createAnthropic({ baseURL, apiKey: 'none' })
  const { text } = await generateText({
    model: anthropic('claude-sonnet-4-5'),
    prompt: 'Run it.',
    tools: {
      bash: anthropic.tools.bash_20250124(claudeBash(session)),
      str_replace_based_edit_tool: anthropic.tools.textEditor_20250728(claudeTextEditor(session)),
    },
    stopWhen: isStepCount(5),
  })
  expect(text).toBe('Done.')
  expect(asked[0].tools).toMatchObject([{ type: 'bash_20250124' }, { type: 'text_editor_20250728' }])
  expect(resultsIn(asked)).toMatchObject([
    { content: 'The file note.txt was written.' },
    { content: 'hello\n' },
    { content: expect.any(String), is_error: true },
  ])
})
