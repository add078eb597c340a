import type { CodeExecutor, ExecutorCapabilities } from '@fenced/core'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { generateText, isStepCount, jsonSchema, tool } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { describe, expect, it } from 'vitest'
import { subjectRows, subjects, toSandboxSession } from './executors.ts'

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

describe.each(subjects)('$name', { concurrent: true, ...subjectRows }, ({ create, missing }) => {
  it.skipIf(missing)('a tool of generateText works in the sandbox that it is given', async () => {
    await using executor = create()
    const model = modelThatCounts()
    const { text, steps } = await generateText({
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
    expect(text).toBe('There are three words.')
    const [first] = model.doGenerateCalls
    expect(JSON.stringify(first?.tools)).toContain('Commands run in a shell')
  })
})

it('the description says what is sure of the executor', async () => {
  const descriptions = subjects.map(({ create }) => {
    const executor = create()
    return toSandboxSession(executor).description.replace(executor.workDir ?? '', 'DIRECTORY')
  })
  expect(descriptions).toEqual([
    'Commands run in a shell on this machine, not isolated, one at a time. Each command starts in the working directory DIRECTORY. Relative paths start there, and files there stay; variables and `cd` end with their command. A command cannot ask for input.',
    ...Array<string>(2).fill(
      'Commands run in a shell in a container, one at a time. Each command starts in the working directory; `pwd` prints its path. Relative paths start there, and files there stay; variables and `cd` end with their command. A command cannot ask for input. There is no network. Limited: memory, number of processes, and processor time.',
    ),
  ])
})

it.for<
  [what: string, change: { capabilities?: Partial<ExecutorCapabilities>; workDir?: undefined }, code: string]
>([
  ['runs no sh', { capabilities: { languages: ['python'] } }, 'SANDBOX_NEEDS_SHELL'],
  ['keeps its state', { capabilities: { stateful: true } }, 'SANDBOX_NEEDS_SHELL'],
  ['has no directory', { workDir: undefined }, 'SANDBOX_NEEDS_DIRECTORY'],
])('an executor that %s is refused at once', ([, change, code]) => {
  expect(() => toSandboxSession(unfit(change))).toThrow(expect.objectContaining({ code }))
})

it('wrong options are refused at once', () => {
  const wrong = { timeout: 1 } as object
  expect(() => toSandboxSession(new LocalCommandLineCodeExecutor(), wrong)).toThrow(
    expect.objectContaining({
      code: 'INVALID_OPTIONS',
      data: { option: 'timeout', suggestion: 'timeoutMs' },
    }),
  )
})

it('an executor for processes that has another directory is stopped and refused', async () => {
  await using executor = new LocalCommandLineCodeExecutor()
  const beside = new LocalCommandLineCodeExecutor()
  const session = toSandboxSession(executor, { createExecutor: () => beside })
  await expect(session.spawn({ command: 'true' })).rejects.toMatchObject({ code: 'SANDBOX_OTHER_DIRECTORY' })
  await expect(beside.execute([])).rejects.toMatchObject({ code: 'EXECUTOR_STOPPED' })
})

function unfit({
  capabilities,
  ...change
}: {
  capabilities?: Partial<ExecutorCapabilities>
  workDir?: undefined
}): CodeExecutor {
  const executor = new LocalCommandLineCodeExecutor()
  return {
    ...executor,
    name: 'unfit',
    workDir: '/tmp',
    ...change,
    capabilities: { ...executor.capabilities, ...capabilities },
  } as CodeExecutor
}
