// @module-tag all

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  AssistantAgent,
  approveByPerson,
  asChatAgent,
  asTool,
  CodeExecutorAgent,
  ConversableAgent,
  initiateChats,
  RoundRobinGroupChat,
  registerFunction,
  toModelMessages,
  toUIMessageStream,
  UserProxyAgent,
} from '@fenced/agents'
import { loadComponent } from '@fenced/agents/config'
import {
  BufferedChatCompletionContext,
  HeadAndTailChatCompletionContext,
  TokenLimitedChatCompletionContext,
  UnboundedChatCompletionContext,
} from '@fenced/agents/model-context'
import {
  FunctionalTermination,
  MaxMessageTermination,
  TextMentionTermination,
  TextMessageTermination,
  TokenUsageTermination,
} from '@fenced/agents/termination'
import { ScriptedModel } from '@fenced/agents/testing'
import {
  claudeBash,
  claudeTextEditor,
  codeModeTool,
  openaiShell,
  sandboxProvider,
  toSandboxSession,
} from '@fenced/ai-sdk'
import {
  ApprovalQueue,
  askingExecutor,
  CodeBlockScanner,
  codeExecutionTool,
  createLanguageTable,
  DecisionLedger,
  executeStream,
  extractCodeBlocks,
  FencedError,
  fileLedger,
  loadExecutor,
  runApproved,
  shareReplay,
  undoTool,
} from '@fenced/core'
import { type Driver, defineExecutor, HostWorkDirectory } from '@fenced/core/driver'
import {
  boundedText,
  picturesOf,
  runningToolOutput,
  toolModelOutput,
  toolOutputs,
  toolOutputText,
} from '@fenced/core/tool'
import { DockerCommandLineCodeExecutor } from '@fenced/executor-docker'
import { JupyterCodeExecutor, LocalJupyterServer, SandboxJupyterServer } from '@fenced/executor-jupyter'
import { DockerJupyterServer } from '@fenced/executor-jupyter/docker'
import { KubernetesCommandLineCodeExecutor, KubernetesSandbox } from '@fenced/executor-kubernetes'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import {
  captureOutput,
  compileProgram,
  findProgram,
  findPython,
  lockDirectory,
  ResidentProcess,
  runProcess,
  startProcess,
} from '@fenced/host'
import { observePool, traceFenced } from '@fenced/opentelemetry'
import { PythonCodeExecutionTool, SystemPythonEnvironment, VenvPythonEnvironment } from '@fenced/python-env'
import { DockerPythonEnvironment } from '@fenced/python-env/docker'
import {
  CommandLineCodeExecutor,
  connectInside,
  forwardPort,
  probe,
  SandboxPool,
  SupervisedSandbox,
} from '@fenced/sandbox'
import { DockerSandbox, Engine } from '@fenced/sandbox-docker'
import { LocalSandbox } from '@fenced/sandbox-local'
import { consoleView, showRun, TerminalHumanInput } from '@fenced/terminal'
import { createFencedWeb, serveFencedWeb } from '@fenced/web'
import { afterAll, beforeAll, it } from 'vitest'
import { optionTakers } from './option-takers.ts'

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
const agent = () => new CodeExecutorAgent({ name: 'coder', executor, model: model() })
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

const none = {} as never
const engine = Engine.prototype
const supervised = () =>
  new SupervisedSandbox({
    name: 'none',
    capabilities: { isolation: 'vm', network: 'none', limits: { memory: false, processes: false } },
    launch: () => Promise.reject(new Error('It has no machine.')),
  })
const provider = () => sandboxProvider({ create: () => new LocalSandbox({ isolation: 'none' }), ports: [1] })
const webExecutor = () => ({ id: 'a', name: 'a', createExecutor: () => executor })

/** Rejects with the error of a driver's own call. */
async function resultOfDriver(): Promise<void> {
  const called = Promise.withResolvers<void>()
  const run: Driver['run'] = async (_, io) => {
    try {
      await io.result({}, wrong)
      called.resolve()
    } catch (error) {
      called.reject(error)
    }
    return { exitCode: 0 }
  }
  const create = defineExecutor({ name: 'a', languages: ['sh'], driver: () => ({ run }) })
  await Promise.all([create().execute([{ language: 'sh', code: '' }]), called.promise])
}

/** Each function and method with options, with an unknown name at each place that takes options. */
const calls: readonly (readonly [name: string, call: () => unknown, option?: string])[] = [
  ['extractCodeBlocks(ExtractOptions)', () => extractCodeBlocks('', wrong)],
  ['new CodeBlockScanner(ExtractOptions)', () => new CodeBlockScanner(wrong)],
  ['execute(ExecuteOptions)', () => executor.execute([], wrong)],
  ['start(StartOptions)', () => executor.start(wrong)],
  [
    'installPackages(StartOptions)',
    () =>
      new LocalCommandLineCodeExecutor(
        { installablePackages: 'any' },
        { installPackages: async () => {} },
      ).installPackages?.(['a'], wrong),
  ],
  ['toConfig(ToConfigOptions)', () => executor.toConfig(wrong)],
  ['askingExecutor(AskingExecutorOptions)', () => askingExecutor(executor, approve, wrong)],
  ['execute(ExecuteOptions), of askingExecutor', () => askingExecutor(executor, approve).execute([], wrong)],
  ['start(StartOptions), of askingExecutor', () => askingExecutor(executor, approve).start(wrong)],
  ['executeStream(ExecuteStreamOptions)', () => executeStream(executor, text(), wrong)],
  [
    'executeStream(ExecuteStreamOptions), timeout',
    () => executeStream(executor, text(), { timeout: 50 } as never),
    'timeout',
  ],
  ['runApproved(RunApprovedOptions)', () => runApproved(executor, request, wrong)],
  [
    'loadExecutor(LoadConfigOptions)',
    () => loadExecutor({ provider: 'local', version: 1, config: {} }, wrong),
  ],
  ['new DecisionLedger(DecisionLedgerOptions)', () => new DecisionLedger(wrong)],
  ['fileLedger(Omit<DecisionLedgerOptions, "store">)', () => fileLedger(directory, wrong)],
  ['shareReplay(ShareReplayOptions)', () => shareReplay(running(), wrong)],
  ['entries(EntriesOptions)', () => shareReplay(running()).entries(wrong).next()],
  ['codeExecutionTool(CodeExecutionToolOptions)', () => codeExecutionTool(executor, wrong)],
  ['undoTool(UndoToolOptions)', () => undoTool({ ...executor, session: {} } as never, wrong)],
  ['toolOutputs(ToolOutputsOptions)', () => toolOutputs(running(), wrong).next()],
  ['toolOutputText(ToolOutputTextOptions)', () => toolOutputText(output as never, wrong)],
  ['toolModelOutput(ToolOutputTextOptions)', () => toolModelOutput(output as never, wrong)],
  ['boundedText(BoundedTextOptions)', () => boundedText('', wrong)],
  ['new LocalCommandLineCodeExecutor(LocalExecutorOptions)', () => new LocalCommandLineCodeExecutor(wrong)],
  ['new LocalSandbox(LocalSandboxOptions)', () => new LocalSandbox(wrong)],
  ['start(StartSandboxOptions)', () => sandbox.start(wrong)],
  ['spawn(LocalSpawnOptions)', () => sandbox.spawn(['true'], wrong)],
  ['connect({…})', () => sandbox.connect(1, wrong)],
  ['usage({…})', () => sandbox.usage(wrong)],
  ['read(ReadFileOptions)', () => sandbox.files.read('a', wrong)],
  ['write(WriteFileOptions)', () => sandbox.files.write('a', '', { mod: 0o600 } as never), 'mod'],
  ['stat(FilesOptions)', () => sandbox.files.stat('a', wrong)],
  ['list(FilesOptions)', () => sandbox.files.list('.', wrong)],
  ['makeDirectory(FilesOptions)', () => sandbox.files.makeDirectory('a', wrong)],
  ['remove(FilesOptions)', () => sandbox.files.remove('a', wrong)],
  ['move(MoveFileOptions)', () => sandbox.files.move('a', 'b', wrong)],
  ['watch(WatchFilesOptions)', () => sandbox.files.watch('.', wrong)],
  ['copy(MoveFileOptions)', () => sandbox.files.copy('a', 'b', wrong)],
  ['connectInside(ConnectInsideOptions)', () => connectInside(sandbox, 1, wrong)],
  ['forwardPort(ForwardPortOptions)', () => forwardPort(sandbox, 1, wrong)],
  ['new SandboxPool(SandboxPoolOptions<Kept>)', () => new SandboxPool(wrong), 'create, sginal'],
  ['acquire(AcquireOptions)', () => pool().acquire(wrong)],
  ['get(AcquireOptions)', () => pool().get('a', wrong)],
  ['new VenvPythonEnvironment(VenvPythonEnvironmentOptions)', () => new VenvPythonEnvironment(wrong)],
  ['new SystemPythonEnvironment(SystemPythonEnvironmentOptions)', () => new SystemPythonEnvironment(wrong)],
  ['start(StartOptions), of an environment', () => new SystemPythonEnvironment().start(wrong)],
  ['interpreter(StartOptions)', () => new SystemPythonEnvironment().interpreter(wrong)],
  ['install(StartOptions)', () => new SystemPythonEnvironment().install(['six'], wrong)],
  ['createExecutor(CreateLocalExecutorOptions)', () => new SystemPythonEnvironment().createExecutor(wrong)],
  [
    'new PythonCodeExecutionTool(PythonCodeExecutionToolOptions)',
    () => new PythonCodeExecutionTool(wrong),
    'pythonEnvironment, sginal',
  ],
  [
    'new CodeExecutorAgent(CodeExecutorAgentOptions)',
    () => new CodeExecutorAgent({ name: 'a', executor, ...(wrong as object) }),
  ],
  ['agent.run', () => agent().run(wrong)],
  ['agent.run, beside a task', () => agent().run({ task: 'a', sginal: 1 } as never)],
  ['agent.run, a message', () => agent().run({ message: 'a' } as never), 'message'],
  ['agent.run, a list', () => agent().run([{ role: 'user', content: 'a' }] as never), ''],
  ['onMessages(OnMessagesOptions)', () => agent().onMessages([], wrong)],
  ['resume(ResumeOptions)', () => agent().resume(none, {}, wrong)],
  ['loadState(LoadStateOptions)', async () => agent().loadState(await agent().saveState(), wrong)],
  ['toConfig(ToConfigOptions), of an agent', () => agent().toConfig(wrong)],
  ['team.run', () => team().run(wrong)],
  ['loadState(LoadStateOptions), of a team', async () => team().loadState(await team().saveState(), wrong)],
  ['toConfig(ToConfigOptions), of a team', () => team().toConfig(wrong)],
  [
    'new ConversableAgent(ConversableAgentOptions)',
    () => new ConversableAgent({ name: 'a', ...(wrong as object) }),
  ],
  ['initiateChat(InitiateChatOptions)', () => talker().initiateChat(talker(), wrong)],
  ['resumeChat(ResumeChatOptions)', () => talker().resumeChat(talker(), none, {}, wrong)],
  ['initiateChats(InitiateChatsOptions), of an agent', () => talker().initiateChats([], wrong)],
  ['initiateChats(InitiateChatsOptions)', () => initiateChats([], wrong)],
  ['send(SendOptions)', () => talker().send('a', talker(), wrong)],
  ['generateReply(GenerateReplyOptions)', () => talker().generateReply(wrong)],
  [
    'registerReply(RegisterReplyOptions)',
    () =>
      talker().registerReply(
        () => true,
        () => undefined,
        wrong,
      ),
  ],
  [
    'registerNestedChats({…})',
    () => talker().registerNestedChats([], { trigger: () => true, sginal: 1 } as never),
  ],
  ['executeTool({…})', () => talker().executeTool({ id: 'a', name: 'a', input: {} } as never, wrong)],
  ['clearHistory({…})', () => talker().clearHistory(undefined, wrong)],
  ['toConfig(ToConfigOptions), of a ConversableAgent', () => talker().toConfig(wrong)],
  ['toUIMessageStream(ToUIMessageStreamOptions)', () => toUIMessageStream(running() as never, wrong)],
  ['asChatAgent(AiSdkParticipantOptions)', () => asChatAgent(talker() as never, wrong)],
  [
    'onMessages(OnMessagesOptions), of asChatAgent',
    () => asChatAgent(talker() as never).onMessages([], wrong),
  ],
  ['asTool(AsToolOptions)', () => asTool(agent(), wrong)],
  ['toModelMessages(PromptOptions)', () => toModelMessages({ messages: [], sginal: 1 } as never)],
  ['approveByPerson(ApproveByPersonOptions)', () => approveByPerson({} as never, wrong)],
  ['loadComponent(LoadComponentOptions)', () => loadComponent({}, wrong)],
  ['new MaxMessageTermination({…})', () => new MaxMessageTermination(wrong), 'maxMessages, sginal'],
  ['ScriptedModel', () => new ScriptedModel([], wrong)],
  ['consoleView(ConsoleViewOptions)', () => consoleView(agent().run(), wrong)],
  ['showRun(ShowRunOptions)', () => showRun(running(), wrong)],
  ['new TerminalHumanInput(TerminalHumanInputOptions)', () => new TerminalHumanInput(wrong)],
  [
    'createFencedWeb(FencedWebOptions)',
    () =>
      createFencedWeb({
        directory,
        executors: [webExecutor()],
        ...(wrong as object),
      }),
  ],
  [
    'serveFencedWeb(ServeFencedWebOptions)',
    () =>
      serveFencedWeb({
        directory,
        executors: [webExecutor()],
        ...(wrong as object),
      }),
  ],
  ['toSandboxSession(SandboxSessionOptions)', () => toSandboxSession(sandbox, wrong)],
  ['openaiShell(OpenaiShellOptions)', () => openaiShell(toSandboxSession(sandbox), wrong)],
  ['claudeBash(ClaudeBashOptions)', () => claudeBash(toSandboxSession(sandbox), wrong)],
  ['claudeTextEditor(ClaudeTextEditorOptions)', () => claudeTextEditor(toSandboxSession(sandbox), wrong)],
  ['traceFenced(TraceFencedOptions)', () => traceFenced(wrong)],
  ['observePool(ObservePoolOptions)', () => observePool(pool(), wrong)],
  [
    'new FencedError(FencedErrorOptions)',
    () => new FencedError({ code: 'A', message: 'a', sginal: 1 } as never),
  ],
  ['createLanguageTable(LanguageTableOptions)', () => createLanguageTable(wrong)],
  ['events({…})', () => new ApprovalQueue().events(wrong).next()],
  ['DecisionLedger.decide', () => new DecisionLedger().decide('a', { state: 'allowed', sginal: 1 } as never)],
  ['new HostWorkDirectory(HostWorkDirectoryOptions)', () => new HostWorkDirectory(wrong)],
  ['write(WriteOptions)', () => new HostWorkDirectory({ path: directory }).write('a', '', wrong)],
  ['picturesOf(ToolPicturesOptions)', () => picturesOf({ blocks: [] }, wrong)],
  ['runningToolOutput', () => runningToolOutput(wrong)],
  ['captureOutput(CaptureOptions)', () => captureOutput(['true'], wrong)],
  ['lockDirectory(StartOptions)', () => lockDirectory(join(directory, 'a'), wrong)],
  ['findPython(PythonSearch)', () => findPython(wrong)],
  ['compileProgram(PythonSearch)', () => compileProgram(wrong, { name: 'a', source: '' })],
  ['findProgram(ProgramSearch)', () => findProgram('true', wrong)],
  ['startProcess(HostProcessOptions)', () => startProcess(['true'], wrong)],
  ['runProcess(ProcessOptions)', () => runProcess(['true'], wrong, {} as never)],
  ['ResidentProcess', () => new ResidentProcess(wrong)],
  ['result(ResultOptions)', () => resultOfDriver()],
  ['new SupervisedSandbox(SuperviseOptions)', () => new SupervisedSandbox(wrong)],
  ['start(StartSandboxOptions), of SupervisedSandbox', () => supervised().start(wrong)],
  ['spawn(SpawnOptions)', () => supervised().spawn(['true'], wrong)],
  ['which({…})', () => supervised().which(['true'], wrong)],
  ['connect({…}), of SupervisedSandbox', () => supervised().connect(1, wrong)],
  ['probe(ProbeOptions)', () => probe({} as never, wrong)],
  [
    'new CommandLineCodeExecutor(CommandLineExecutorOptions)',
    () => new CommandLineCodeExecutor({ sandbox, sginal: 1 } as never),
  ],
  ['new DockerSandbox(DockerSandboxOptions)', () => new DockerSandbox(wrong)],
  [
    'new DockerCommandLineCodeExecutor(DockerExecutorOptions)',
    () => new DockerCommandLineCodeExecutor(wrong),
  ],
  ['connect(ConnectOptions)', () => Engine.connect(undefined, wrong)],
  ['hasImage(CallOptions & Pick<ImageSettings, "platform">)', () => engine.hasImage.call(none, 'a', wrong)],
  ['startContainer(StartContainerOptions)', () => engine.startContainer.call(none, none, wrong)],
  ['new JupyterCodeExecutor(JupyterExecutorOptions)', () => new JupyterCodeExecutor(wrong)],
  ['new LocalJupyterServer(LocalJupyterServerOptions)', () => new LocalJupyterServer(wrong)],
  [
    'new SandboxJupyterServer(SandboxJupyterServerOptions)',
    () => new SandboxJupyterServer({ sandbox, sginal: 1 } as never),
  ],
  ['new DockerJupyterServer(DockerJupyterServerOptions)', () => new DockerJupyterServer(wrong)],
  ['connect(StartOptions)', () => new LocalJupyterServer().connect(wrong)],
  ['connect(StartOptions), of a sandbox', () => new SandboxJupyterServer({ sandbox }).connect(wrong)],
  ['connect(StartOptions), of a container', () => new DockerJupyterServer().connect(wrong)],
  [
    'new KubernetesCommandLineCodeExecutor(KubernetesExecutorOptions)',
    () => new KubernetesCommandLineCodeExecutor(wrong),
  ],
  ['new KubernetesSandbox(KubernetesSandboxOptions)', () => new KubernetesSandbox(wrong)],
  ['new DockerPythonEnvironment(DockerPythonEnvironmentOptions)', () => new DockerPythonEnvironment(wrong)],
  [
    'new AssistantAgent(ConversableAgentOptions)',
    () => new AssistantAgent({ name: 'a', model: model(), sginal: 1 } as never),
  ],
  [
    'new UserProxyAgent(ConversableAgentOptions)',
    () => new UserProxyAgent({ name: 'a', sginal: 1 } as never),
  ],
  [
    'new RoundRobinGroupChat(RoundRobinGroupChatOptions)',
    () => new RoundRobinGroupChat({ participants: [agent()], sginal: 1 } as never),
  ],
  [
    'registerFunction',
    () => registerFunction(none, { caller: talker(), executor: talker(), sginal: 1 } as never),
  ],
  [
    'new BufferedChatCompletionContext({…})',
    () => new BufferedChatCompletionContext({ bufferSize: 1, sginal: 1 } as never),
  ],
  [
    'new HeadAndTailChatCompletionContext({…})',
    () => new HeadAndTailChatCompletionContext({ headSize: 1, tailSize: 1, sginal: 1 } as never),
  ],
  [
    'new UnboundedChatCompletionContext(object & ContextOptions)',
    () => new UnboundedChatCompletionContext(wrong),
  ],
  [
    'new TokenLimitedChatCompletionContext({…})',
    () => new TokenLimitedChatCompletionContext({ tokenLimit: 1, sginal: 1 } as never),
  ],
  [
    'new TokenUsageTermination({…})',
    () => new TokenUsageTermination({ maxTotalTokens: 1, sginal: 1 } as never),
  ],
  [
    'new FunctionalTermination({…})',
    () => new FunctionalTermination({ isMet: () => true, sginal: 1 } as never),
  ],
  ['new TextMentionTermination({…})', () => new TextMentionTermination({ text: 'a', sginal: 1 } as never)],
  ['new TextMessageTermination({…})', () => new TextMessageTermination(wrong)],
  ['codeModeTool(CodeExecutionToolOptions)', () => codeModeTool(executor, wrong)],
  [
    'sandboxProvider(SandboxProviderOptions)',
    () => sandboxProvider({ create: () => sandbox, sginal: 1 } as never),
  ],
  ['createSession(CreateSessionOptions)', () => provider().createSession(wrong)],
  ['resumeSession({…})', () => provider().resumeSession({ sessionId: 'a', sginal: 1 } as never)],
  [
    'getPortUrl(PortOptions)',
    async () => (await provider().createSession()).getPortUrl({ port: 1, sginal: 1 } as never),
  ],
  [
    'getPortEndpoint(PortOptions)',
    async () => (await provider().createSession()).getPortEndpoint({ port: 1, sginal: 1 } as never),
  ],
  [
    'an executor of createFencedWeb',
    () => createFencedWeb({ directory, executors: [{ ...webExecutor(), sginal: 1 } as never] }),
    'executors.0.sginal',
  ],
  [
    'a model of createFencedWeb',
    () =>
      createFencedWeb({
        directory,
        executors: [webExecutor()],
        models: [{ id: 'a', name: 'a', model: model(), sginal: 1 } as never],
      }),
    'models.0.sginal',
  ],
  ...(
    [
      'run',
      'spawn',
      'readFile',
      'readBinaryFile',
      'readTextFile',
      'writeFile',
      'writeBinaryFile',
      'writeTextFile',
      'stat',
      'listDirectory',
      'deleteFile',
    ] as const
  ).map((method) => [`session.${method}`, () => toSandboxSession(sandbox)[method](wrong)] as const),
]

it('every function with options refuses an unknown name', ({ expect, everyRow }) =>
  everyRow(calls, async (_, call, option = 'sginal') => {
    const error = await (async () => await call())().then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    expect(error).toMatchObject({ code: 'INVALID_OPTIONS', data: { option } })
  }))

/** Functions that take options and have no row above, with the reason. */
const exceptions: Readonly<Record<string, string>> = {
  'loadComponent(LoadComponentOptions & { readonly expect: ComponentClass<Component>; })':
    'an overload that has a row',
  'execute(ToolCallOptions)': 'the AI SDK passes the options that its version has',
  'execute(Partial<ToolCallOptions>)': 'the AI SDK passes the options that its version has',
  'execute({…})': 'the AI SDK passes the options that its version has',
  'mayRun(NamedLanguage)': 'a language has more names',
  'labelOf(Pick<CodeBlock, "info" | "language">)': 'a block has more names',
  'outputOf(Omit<SpawnOptions, "output">)': 'passes them to `spawn`',
  'create(ContractOptions)': 'the caller implements it',
  'it(TestOptions)': 'the caller implements it',
  'createExecutor(CreateDockerExecutorOptions)': 'its executor refuses them, on an engine',
  'createExecutor(CreateExecutorOptions)': 'an interface, whose implementations have rows',
  'exec(ExecOptions)': 'packages/sandbox-docker/src/container/unknown-names.test.ts',
  'remove(RemoveOptions)': 'packages/sandbox-docker/src/container/unknown-names.test.ts',
  'discard(Partial<CallOptions>)': 'packages/sandbox-docker/src/container/unknown-names.test.ts',
  'toolOutputText({…})': 'a result',
  'showPicture(OutputFile)': 'a result',
  'formatUsage(Usage)': 'a result',
  'boundedBy(LimitSettings)': 'checked options',
  'statefulCapabilities(Pick<CommandLineBlockOptions, "stateful">)': 'checked options',
  'new ContainerSandbox(ContainerSandboxParts)': 'checked options',
  'new LocalSandbox(LocalSandboxParts)': 'objects of executors',
  'load(LoadStateOptions)': 'a protected method: `loadState` has a row',
  'unanswered(RunContext)': 'a protected method: a run of the agent',
}

it('every exported function with options has a row, or a reason to have none', ({ expect }) => {
  const takers = [
    ...optionTakers(join(import.meta.dirname, '../tsconfig.json'), join(import.meta.dirname, 'packages.ts')),
  ]
  const rows = calls.map(([name]) => name)
  const hasRow = (taker: string) => rows.some((name) => name === taker || name.startsWith(`${taker}, `))
  expect(takers.length).toBeGreaterThan(100)
  expect(takers.filter((taker) => !hasRow(taker) && !Object.hasOwn(exceptions, taker))).toEqual([])
  expect(Object.keys(exceptions).filter((name) => hasRow(name) || !takers.includes(name))).toEqual([])
})
