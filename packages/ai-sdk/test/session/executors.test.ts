import { text } from 'node:stream/consumers'
import { askingExecutor } from '@fenced/core'
import { defineExecutor } from '@fenced/core/driver'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { generateText, isStepCount, jsonSchema, tool } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { expect, it } from 'vitest'
import { toSandboxSession } from '../../src/index.ts'
import { firstOf } from './watch.ts'

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
}

/** Writes a file, runs a command on it, and says what came of it. */
function modelThatCounts(): MockLanguageModelV4 {
  return new MockLanguageModelV4({
    doGenerate: [
      {
        content: [
          {
            type: 'tool-call',
            toolCallId: '1',
            toolName: 'shell',
            input: JSON.stringify({
              file: 'words.txt',
              content: 'one two\nthree\n',
              command: 'wc -w < words.txt',
            }),
          },
        ],
        finishReason: { unified: 'tool-calls', raw: undefined },
        usage,
        warnings: [],
      },
      {
        content: [{ type: 'text', text: 'There are three words.' }],
        finishReason: { unified: 'stop', raw: undefined },
        usage,
        warnings: [],
      },
    ],
  })
}

const shell = tool({
  description: ({ experimental_sandbox }) =>
    `Writes a file and runs a command. ${experimental_sandbox?.description}`,
  inputSchema: jsonSchema<{ file: string; content: string; command: string }>({
    type: 'object',
    properties: { file: { type: 'string' }, content: { type: 'string' }, command: { type: 'string' } },
  }),
  execute: async ({ file, content, command }, { experimental_sandbox: sandbox, abortSignal }) => {
    if (sandbox === undefined) throw new Error('no sandbox')
    const signal = abortSignal === undefined ? {} : { abortSignal }
    await sandbox.writeTextFile({ path: file, content, ...signal })
    const { exitCode, stdout } = await sandbox.run({ command, ...signal })
    return { exitCode, stdout: stdout.trim(), files: await sandbox.listDirectory({ path: '.', ...signal }) }
  },
})

it('a tool of generateText works in the sandbox of an executor', async () => {
  await using executor = new LocalCommandLineCodeExecutor()
  const model = modelThatCounts()
  const { text: answer, steps } = await generateText({
    model,
    prompt: 'How many words?',
    tools: { shell },
    stopWhen: isStepCount(2),
    experimental_sandbox: toSandboxSession(executor),
  })
  expect(steps[0]?.toolResults[0]?.output).toEqual({
    exitCode: 0,
    stdout: '3',
    files: [{ name: 'words.txt', type: 'file' }],
  })
  expect(answer).toBe('There are three words.')
  const [first] = model.doGenerateCalls
  expect(JSON.stringify(first?.tools)).toContain('Commands run in a shell')
})

it('a session starts its executor, and does not start one that was stopped', async () => {
  await using executor = new LocalCommandLineCodeExecutor()
  const session = toSandboxSession(executor)
  await session.writeTextFile({ path: 'first', content: '1' })
  expect((await session.run({ command: 'ls -A' })).stdout).toContain('first')
  const process = await session.spawn({ command: 'echo begun; sleep 60' })
  await firstOf(process.stdout)
  await executor.stop()
  expect((await process.wait()).exitCode).toBeGreaterThan(128)
  const stopped = { code: 'EXECUTOR_STOPPED' }
  await expect(session.run({ command: 'true' })).rejects.toMatchObject(stopped)
  await expect(session.readFile({ path: 'first' })).rejects.toMatchObject(stopped)
})

it('a session redacts what its commands print, but no file', async () => {
  await using inner = new LocalCommandLineCodeExecutor({ redact: ['secret'] })
  for (const executor of [inner, askingExecutor(inner, () => 'allow')]) {
    const session = toSandboxSession(executor)
    const command = 'printf sec; sleep 0.1; printf "ret\n"; echo secret >&2'
    expect(await session.run({ command })).toMatchObject({ stdout: '[redacted]\n', stderr: '[redacted]\n' })
    const { stdout, stderr } = await session.spawn({ command })
    expect(await Promise.all([text(stdout), text(stderr)])).toEqual(['[redacted]\n', '[redacted]\n'])
    await session.writeTextFile({ path: 'file', content: 'secret' })
    expect(await session.readTextFile({ path: 'file' })).toBe('secret')
  }
})

it('an executor without a sandbox is refused at once', () => {
  const executor = defineExecutor({
    name: 'third',
    languages: ['sh'],
    driver: () => ({ run: async () => ({ exitCode: 0 }) }),
  })()
  expect(() => toSandboxSession(executor)).toThrow(
    expect.objectContaining({ code: 'SANDBOX_MISSING', data: { executor: 'third' } }),
  )
})
