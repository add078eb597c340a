import {
  AssistantAgent,
  CodeExecutorAgent,
  ConversableAgent,
  RoundRobinGroupChat,
  UserProxyAgent,
} from '@fenced/agents'
import {
  BufferedChatCompletionContext,
  HeadAndTailChatCompletionContext,
  TokenLimitedChatCompletionContext,
  UnboundedChatCompletionContext,
} from '@fenced/agents/model-context'
import {
  AndTerminationCondition,
  FunctionalTermination,
  FunctionCallTermination,
  HandoffTermination,
  MaxMessageTermination,
  OrTerminationCondition,
  SourceMatchTermination,
  TextMentionTermination,
  TextMessageTermination,
  TimeoutTermination,
  TokenUsageTermination,
} from '@fenced/agents/termination'
import { toSandboxSession } from '@fenced/ai-sdk'
import { codeExecutionTool, extractCodeBlocks, FencedError } from '@fenced/core'
import { DockerCommandLineCodeExecutor } from '@fenced/executor-docker'
import { JupyterCodeExecutor, LocalJupyterServer, SandboxJupyterServer } from '@fenced/executor-jupyter'
import { DockerJupyterServer } from '@fenced/executor-jupyter/docker'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import {
  PythonCodeExecutionTool,
  SystemPythonEnvironment,
  VenvPythonEnvironment,
  WorkingDirectory,
} from '@fenced/python-env'
import { DockerPythonEnvironment } from '@fenced/python-env/docker'
import { describe, expect, test } from 'vitest'
import type { ZodError } from 'zod'

const executor = new LocalCommandLineCodeExecutor()
const chat = (options: never) =>
  new ConversableAgent({ name: 'a' }).initiateChat(new ConversableAgent({ name: 'b' }), options)

/** Everything that takes options, by its name. */
const doors: Readonly<Record<string, (options: never) => unknown>> = {
  LocalCommandLineCodeExecutor: (options) => new LocalCommandLineCodeExecutor(options),
  DockerCommandLineCodeExecutor: (options) => new DockerCommandLineCodeExecutor(options),
  JupyterCodeExecutor: (options) => new JupyterCodeExecutor(options),
  LocalJupyterServer: (options) => new LocalJupyterServer(options),
  DockerJupyterServer: (options) => new DockerJupyterServer(options),
  SandboxJupyterServer: (options) => new SandboxJupyterServer(options),
  SystemPythonEnvironment: (options) => new SystemPythonEnvironment(options),
  VenvPythonEnvironment: (options) => new VenvPythonEnvironment(options),
  DockerPythonEnvironment: (options) => new DockerPythonEnvironment(options),
  PythonCodeExecutionTool: (options) => new PythonCodeExecutionTool(options),
  ConversableAgent: (options) => new ConversableAgent(options),
  AssistantAgent: (options) => new AssistantAgent(options),
  UserProxyAgent: (options) => new UserProxyAgent(options),
  CodeExecutorAgent: (options) => new CodeExecutorAgent(options),
  RoundRobinGroupChat: (options) => new RoundRobinGroupChat(options),
  initiateChat: (options) => chat(options),
  codeExecutionTool: (options) => codeExecutionTool(executor, options),
  toSandboxSession: (options) => toSandboxSession(executor, options),
  'execute()': (options) => executor.execute([], options),
  UnboundedChatCompletionContext: (options) => new UnboundedChatCompletionContext(options),
  BufferedChatCompletionContext: (options) => new BufferedChatCompletionContext(options),
  HeadAndTailChatCompletionContext: (options) => new HeadAndTailChatCompletionContext(options),
  TokenLimitedChatCompletionContext: (options) => new TokenLimitedChatCompletionContext(options),
  AndTerminationCondition: (options) => new AndTerminationCondition(options),
  OrTerminationCondition: (options) => new OrTerminationCondition(options),
  FunctionalTermination: (options) => new FunctionalTermination(options),
  FunctionCallTermination: (options) => new FunctionCallTermination(options),
  HandoffTermination: (options) => new HandoffTermination(options),
  MaxMessageTermination: (options) => new MaxMessageTermination(options),
  SourceMatchTermination: (options) => new SourceMatchTermination(options),
  TextMentionTermination: (options) => new TextMentionTermination(options),
  TextMessageTermination: (options) => new TextMessageTermination(options),
  TimeoutTermination: (options) => new TimeoutTermination(options),
  TokenUsageTermination: (options) => new TokenUsageTermination(options),
}

/** What it is refused with. */
async function refusal(door: string, options: unknown): Promise<FencedError> {
  try {
    await doors[door]?.(options as never)
  } catch (error) {
    if (FencedError.isInstance(error) && error.code === 'INVALID_OPTIONS') return error
    throw error
  }
  throw new Error(`${door} takes ${JSON.stringify(options)}`)
}

type Issue = ZodError['issues'][number]

/** What the schema has against a value. */
function explanationOf({ cause }: FencedError): string {
  return explanationsIn((cause as ZodError).issues).join('\n')
}

function explanationsIn(issues: readonly Issue[]): string[] {
  return issues.flatMap((issue) => [
    ...(issue.code === 'invalid_union' ? explanationsIn(issue.errors.flat()) : []),
    issue.message,
  ])
}

/** Options of AutoGen 0.2, 0.4 and AG2, and mistyped ones: the name here; `undefined` for advice without one. */
const table: Readonly<Record<string, Readonly<Record<string, string | undefined>>>> = {
  LocalCommandLineCodeExecutor: {
    work_dir: 'workDir',
    timeout: 'timeoutMs',
    timeoutMS: 'timeoutMs',
    timoutMs: 'timeoutMs',
    virtual_env_context: 'python',
    functions: undefined,
    functions_module: undefined,
    cleanup_temp_files: 'cleanupTempFiles',
    delete_tmp_files: 'cleanupTempFiles',
    execution_policies: 'executionPolicies',
    max_output: 'maxOutputBytes',
    env_vars: 'env',
    outputDir: 'workDir',
    directory: 'workDir',
  },
  DockerCommandLineCodeExecutor: {
    timeout: 'timeoutMs',
    work_dir: 'workDir',
    bind_dir: 'bindDir',
    container_name: 'containerName',
    auto_remove: 'stopContainer',
    stop_container: 'stopContainer',
    container_create_kwargs: 'createOptions',
    device_requests: 'gpus',
    extra_volumes: 'volumes',
    extra_hosts: 'extraHosts',
    init_command: 'initCommand',
    delete_tmp_files: 'cleanupTempFiles',
    network_mode: 'network',
    mem_limit: 'memoryBytes',
    images: 'image',
    pip_packages: 'packages',
    dockerfile: 'build',
  },
  JupyterCodeExecutor: {
    jupyter_server: 'server',
    kernel_name: 'kernelName',
    output_dir: 'workDir',
    work_dir: 'workDir',
    timeout: 'timeoutMs',
  },
  LocalJupyterServer: { log_file: undefined, log_level: undefined, prot: 'port' },
  DockerJupyterServer: {
    custom_image_name: 'image',
    docker_env: 'env',
    expose_port: 'port',
    bind_dir: 'workDir',
    work_dir: 'workDir',
    auto_remove: undefined,
    stop_container: undefined,
    container_name: undefined,
  },
  SystemPythonEnvironment: { python: 'executable', python_path: 'executable' },
  VenvPythonEnvironment: {
    venv_path: 'venvPath',
    path: 'venvPath',
    python_path: 'pythonPath',
    python_version: 'pythonVersion',
    executable: 'pythonPath',
    pip_packages: 'packages',
  },
  DockerPythonEnvironment: {
    pipPackages: 'packages',
    requirements_file: 'requirements',
    dockerfile: 'build',
    build_args: 'build',
    environment: 'env',
    container_name_prefix: undefined,
    cleanup_container: undefined,
    keep_container_running: undefined,
    container_startup_timeout: undefined,
  },
  PythonCodeExecutionTool: {
    python_environment: 'pythonEnvironment',
    environment: 'pythonEnvironment',
    working_directory: 'workDir',
    work_dir: 'workDir',
    timeout: 'timeoutMs',
  },
  ConversableAgent: {
    llm_config: 'model',
    system_message: 'systemMessage',
    human_input_mode: 'humanInputMode',
    is_termination_msg: 'isTermination',
    max_consecutive_auto_reply: 'maxConsecutiveAutoReply',
    code_execution_config: 'codeExecutionConfig',
    default_auto_reply: 'defaultAutoReply',
    function_map: undefined,
    functions: undefined,
    chat_messages: undefined,
    silent: undefined,
    executor: 'codeExecutionConfig',
  },
  AssistantAgent: { llm_config: 'model', model_client: 'model' },
  UserProxyAgent: { code_execution_config: 'codeExecutionConfig', human_input_mode: 'humanInputMode' },
  CodeExecutorAgent: {
    model_client: 'model',
    model_client_stream: undefined,
    code_executor: 'executor',
    approval_func: 'approvalFunc',
    max_retries_on_error: 'maxRetriesOnError',
    supported_languages: 'supportedLanguages',
  },
  RoundRobinGroupChat: { termination_condition: 'terminationCondition', max_turns: 'maxTurns' },
  initiateChat: {
    max_turns: 'maxTurns',
    clear_history: 'clearHistory',
    silent: undefined,
    cache: undefined,
  },
  'execute()': { timeout: 'timeoutMs' },
  codeExecutionTool: { timeout: 'timeoutMs' },
  toSandboxSession: { max_output_bytes: 'maxOutputBytes' },
  BufferedChatCompletionContext: { buffer_size: 'bufferSize' },
  MaxMessageTermination: { max_messages: 'maxMessages' },
  TimeoutTermination: { timeout_seconds: 'timeoutMs' },
  TokenUsageTermination: {
    max_total_token: 'maxTotalTokens',
    max_prompt_token: undefined,
  },
}

describe('an option of another name is answered with its own', () => {
  const rows = Object.entries(table).flatMap(([door, names]) =>
    Object.entries(names).map(([name, suggestion]) => ({ door, name, suggestion })),
  )
  test('for each name of AutoGen, AG2 and the AI SDK', ({ everyRow }) =>
    everyRow(rows, async ({ door, name, suggestion }) => {
      const { data } = await refusal(door, { [name]: 1 })
      expect(data?.option?.split(', ')).toContain(name)
      expect(data?.suggestion).toBe(suggestion)
    }))
})

describe('whatever takes options', () => {
  test('rejects a value that is not an options object', ({ everyRow }) =>
    everyRow(Object.keys(doors), async (door) => {
      // The options of a conversation are taken apart before they are looked at.
      const wrong = door === 'initiateChat' ? [] : [null, 'text', 7]
      for (const options of wrong) expect((await refusal(door, options)).data).toEqual({ option: '' })
      const { data } = await refusal(door, { zzzzzzzz: 1 })
      expect(data).toEqual({ option: expect.stringMatching(/\bzzzzzzzz\b/) })
    }))

  test.each(['AssistantAgent', 'ConversableAgent', 'UserProxyAgent', 'CodeExecutorAgent'])(
    '%s asks for a name where nothing is given',
    async (door) => {
      expect(explanationOf(await refusal(door, undefined))).toContain('name')
    },
  )

  test.each<[name: string, call: (nothing: never) => unknown]>([
    ['WorkingDirectory', (path) => new WorkingDirectory(path)],
    ['extractCodeBlocks()', (markdown) => extractCodeBlocks(markdown)],
  ])('%s needs a text', (_, call) => {
    expect(() => call(undefined as never)).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTIONS',
        data: { option: '' },
      }),
    )
  })
})

describe('a value of the wrong kind is answered with what is allowed', () => {
  test('for each kind of value', ({ everyRow }) =>
    everyRow<[door: string, options: object, answer: string]>(
      [
        ['DockerCommandLineCodeExecutor', { memoryBytes: '2g' }, 'a whole number from 6291456, or false'],
        ['DockerCommandLineCodeExecutor', { gpus: true }, '"all", or a whole number from 1, or a list'],
        ['DockerCommandLineCodeExecutor', { warm: 'yes' }, 'true or false, or { preload }'],
        ['DockerCommandLineCodeExecutor', { warm: { preloads: [] } }, 'did you mean `preload`?'],
        ['DockerCommandLineCodeExecutor', { docker: 7 }, 'the address of an engine'],
        ['JupyterCodeExecutor', { server: 'http://localhost:8888' }, '{ host, port, token, useHttps'],
        ['JupyterCodeExecutor', { server: { url: 'http://localhost' } }, '{ host, port, token, useHttps'],
        ['LocalCommandLineCodeExecutor', { onOutputLimit: 'stop' }, '"truncate" or "kill"'],
        ['LocalCommandLineCodeExecutor', { installablePackages: 'all' }, '"any"'],
        ['VenvPythonEnvironment', { requirements: 7 }, 'a string, or a list (of each: a string)'],
        ['UserProxyAgent', { name: 'a', codeExecutionConfig: true }, 'false, or { executor, lastNMessages'],
        ['UserProxyAgent', { name: 'a', codeExecutionConfig: {} }, 'must be a CodeExecutor, the name'],
        [
          'UserProxyAgent',
          { name: 'a', codeExecutionConfig: { work_dir: 'x' } },
          '`workDir` of the executor',
        ],
        [
          'UserProxyAgent',
          { name: 'a', codeExecutionConfig: { use_docker: false } },
          'DockerCommandLineCodeExecutor',
        ],
        ['UserProxyAgent', { name: 'a', humanInputMode: 'ALWAYS' }, '"always" or "terminate" or "never"'],
        ['AssistantAgent', { name: 'a', model: 7 }, 'a language model of the AI SDK'],
        ['initiateChat', { message: 7 }, 'must be a text, a message, or a function that makes one'],
      ],
      async (door, options, answer) => {
        expect(explanationOf(await refusal(door, options))).toContain(answer)
      },
    ))
})
