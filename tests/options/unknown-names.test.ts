import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  approveByPerson,
  asChatAgent,
  asTool,
  CodeExecutorAgent,
  ConversableAgent,
  initiateChats,
  RoundRobinGroupChat,
} from '@fenced/agents'
import { loadComponent } from '@fenced/agents/config'
import { MaxMessageTermination } from '@fenced/agents/termination'
import { ScriptedModel } from '@fenced/agents/testing'
import { claudeBash, claudeTextEditor, openaiShell, toSandboxSession } from '@fenced/ai-sdk'
import {
  approvedExecutor,
  CodeBlockScanner,
  DecisionLedger,
  executeStream,
  extractCodeBlocks,
  fileLedger,
  loadExecutor,
  runApproved,
  shareReplay,
} from '@fenced/core'
import {
  boundedText,
  codeExecutionTool,
  toolModelOutput,
  toolOutputs,
  toolOutputText,
} from '@fenced/core/tool'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { observePool, traceFenced } from '@fenced/opentelemetry'
import { PythonCodeExecutionTool, SystemPythonEnvironment, VenvPythonEnvironment } from '@fenced/python-env'
import { connectInside, forwardPort, SandboxPool } from '@fenced/sandbox'
import { LocalSandbox } from '@fenced/sandbox-local'
import { consoleView, showRun, TerminalHumanInput } from '@fenced/terminal'
import { createFencedWeb, serveFencedWeb } from '@fenced/web'
import { afterAll, beforeAll, it } from 'vitest'

let directory = ''
const executor = new LocalCommandLineCodeExecutor()
const sandbox = new LocalSandbox({ isolation: 'none' })
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fenced-names-'))
  await sandbox.start()
})
afterAll(async () => {
  await sandbox.stop()
  await executor.stop()
  await rm(directory, { recursive: true })
})

/** Options of any function, with a name that none has. */
const wrong = { sginal: 1 } as never
const model = () => new ScriptedModel(['done'])
const agent = () => new CodeExecutorAgent({ name: 'coder', codeExecutor: executor, model: model() })
const talker = () => new ConversableAgent({ name: 'talker', model: model() })
const team = () =>
  new RoundRobinGroupChat({
    participants: [agent()],
    terminationCondition: new MaxMessageTermination({ maxMessages: 1 }),
  })
const pool = () => new SandboxPool({ create: () => new LocalSandbox({ isolation: 'none' }), max: 1 })
const output = { status: 'ok', success: true, output: '', droppedBytes: 0, files: [], notices: [] } as const
const running = () => executor.execute([])
async function* text() {
  yield 'No code.'
}
const approve = () => 'allow' as const
const request = { request: {} as never, answer: { decision: 'allow' } as const }

/** Each function and method with options, with an unknown name at each place that takes options. */
const calls: readonly (readonly [name: string, call: () => unknown, option?: string])[] = [
  ['extractCodeBlocks', () => extractCodeBlocks('', wrong)],
  ['CodeBlockScanner', () => new CodeBlockScanner(wrong)],
  ['execute', () => executor.execute([], wrong)],
  ['start', () => executor.start(wrong)],
  ['toConfig', () => executor.toConfig(wrong)],
  ['approvedExecutor', () => approvedExecutor(executor, approve, wrong)],
  ['approvedExecutor().execute', () => approvedExecutor(executor, approve).execute([], wrong)],
  ['approvedExecutor().start', () => approvedExecutor(executor, approve).start(wrong)],
  ['executeStream', () => executeStream(executor, text(), wrong)],
  ['executeStream, timeout', () => executeStream(executor, text(), { timeout: 50 } as never), 'timeout'],
  ['runApproved', () => runApproved(executor, request, wrong)],
  ['loadExecutor', () => loadExecutor({ provider: 'local', version: 1, config: {} }, wrong)],
  ['DecisionLedger', () => new DecisionLedger(wrong)],
  ['fileLedger', () => fileLedger(directory, wrong)],
  ['shareReplay', () => shareReplay(running(), wrong)],
  ['shareReplay().entries', () => shareReplay(running()).entries(wrong).next()],
  ['codeExecutionTool', () => codeExecutionTool(executor, wrong)],
  ['toolOutputs', () => toolOutputs(running(), wrong).next()],
  ['toolOutputText', () => toolOutputText(output as never, wrong)],
  ['toolModelOutput', () => toolModelOutput(output as never, wrong)],
  ['boundedText', () => boundedText('', wrong)],
  ['LocalCommandLineCodeExecutor', () => new LocalCommandLineCodeExecutor(wrong)],
  ['LocalSandbox', () => new LocalSandbox(wrong)],
  ['sandbox.start', () => sandbox.start(wrong)],
  ['sandbox.spawn', () => sandbox.spawn(['true'], wrong)],
  ['sandbox.connect', () => sandbox.connect(1, wrong)],
  ['files.read', () => sandbox.files.read('a', wrong)],
  ['files.write', () => sandbox.files.write('a', '', { mod: 0o600 } as never), 'mod'],
  ['files.stat', () => sandbox.files.stat('a', wrong)],
  ['files.list', () => sandbox.files.list('.', wrong)],
  ['files.makeDirectory', () => sandbox.files.makeDirectory('a', wrong)],
  ['files.remove', () => sandbox.files.remove('a', wrong)],
  ['connectInside', () => connectInside(sandbox, 1, wrong)],
  ['forwardPort', () => forwardPort(sandbox, 1, wrong)],
  ['SandboxPool', () => new SandboxPool(wrong), 'create, sginal'],
  ['pool.acquire', () => pool().acquire(wrong)],
  ['pool.get', () => pool().get('a', wrong)],
  ['VenvPythonEnvironment', () => new VenvPythonEnvironment(wrong)],
  ['SystemPythonEnvironment', () => new SystemPythonEnvironment(wrong)],
  ['environment.start', () => new SystemPythonEnvironment().start(wrong)],
  ['environment.interpreter', () => new SystemPythonEnvironment().interpreter(wrong)],
  ['environment.install', () => new SystemPythonEnvironment().install(['six'], wrong)],
  ['environment.createExecutor', () => new SystemPythonEnvironment().createExecutor(wrong)],
  ['PythonCodeExecutionTool', () => new PythonCodeExecutionTool(wrong), 'pythonEnvironment, sginal'],
  [
    'CodeExecutorAgent',
    () => new CodeExecutorAgent({ name: 'a', codeExecutor: executor, ...(wrong as object) }),
  ],
  ['agent.run', () => agent().run(wrong)],
  ['agent.run, beside a task', () => agent().run({ task: 'a', sginal: 1 } as never)],
  ['agent.run, a message', () => agent().run({ message: 'a' } as never), 'message'],
  ['agent.run, a list', () => agent().run([{ role: 'user', content: 'a' }] as never), ''],
  ['agent.onMessages', () => agent().onMessages([], wrong)],
  ['agent.loadState', async () => agent().loadState(await agent().saveState(), wrong)],
  ['agent.toConfig', () => agent().toConfig(wrong)],
  ['team.run', () => team().run(wrong)],
  ['team.loadState', async () => team().loadState(await team().saveState(), wrong)],
  ['team.toConfig', () => team().toConfig(wrong)],
  ['ConversableAgent', () => new ConversableAgent({ name: 'a', ...(wrong as object) })],
  ['initiateChat', () => talker().initiateChat(talker(), wrong)],
  ['agent.initiateChats', () => talker().initiateChats([], wrong)],
  ['initiateChats', () => initiateChats([], wrong)],
  ['send', () => talker().send('a', talker(), wrong)],
  ['generateReply', () => talker().generateReply(wrong)],
  [
    'registerReply',
    () =>
      talker().registerReply(
        () => true,
        () => undefined,
        wrong,
      ),
  ],
  [
    'registerNestedChats',
    () => talker().registerNestedChats([], { trigger: () => true, sginal: 1 } as never),
  ],
  ['executeTool', () => talker().executeTool({ id: 'a', name: 'a', input: {} } as never, wrong)],
  ['clearHistory', () => talker().clearHistory(undefined, wrong)],
  ['ConversableAgent.toConfig', () => talker().toConfig(wrong)],
  ['asChatAgent', () => asChatAgent(talker() as never, wrong)],
  ['asChatAgent().onMessages', () => asChatAgent(talker() as never).onMessages([], wrong)],
  ['asTool', () => asTool(agent(), wrong)],
  ['approveByPerson', () => approveByPerson({} as never, wrong)],
  ['loadComponent', () => loadComponent({}, wrong)],
  ['MaxMessageTermination', () => new MaxMessageTermination(wrong), 'maxMessages, sginal'],
  ['ScriptedModel', () => new ScriptedModel([], wrong)],
  ['consoleView', () => consoleView(agent().run(), wrong)],
  ['showRun', () => showRun(running(), wrong)],
  ['TerminalHumanInput', () => new TerminalHumanInput(wrong)],
  [
    'createFencedWeb',
    () =>
      createFencedWeb({
        directory,
        executors: [{ id: 'a', name: 'a', createExecutor: () => executor }],
        ...(wrong as object),
      }),
  ],
  [
    'serveFencedWeb',
    () =>
      serveFencedWeb({
        directory,
        executors: [{ id: 'a', name: 'a', createExecutor: () => executor }],
        ...(wrong as object),
      }),
  ],
  ['toSandboxSession, of a sandbox', () => toSandboxSession(sandbox, wrong)],
  ['toSandboxSession, of an executor', () => toSandboxSession(executor, wrong)],
  ['openaiShell', () => openaiShell(toSandboxSession(sandbox), wrong)],
  ['claudeBash', () => claudeBash(toSandboxSession(sandbox), wrong)],
  ['claudeTextEditor', () => claudeTextEditor(toSandboxSession(sandbox), wrong)],
  ['traceFenced', () => traceFenced(wrong)],
  ['observePool', () => observePool(pool(), wrong)],
]

it('every function with options refuses an unknown name', ({ expect, everyRow }) =>
  everyRow(calls, async (_, call, option = 'sginal') => {
    const error = await (async () => await call())().then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    expect(error).toMatchObject({ code: 'INVALID_OPTIONS', data: { option } })
  }))
