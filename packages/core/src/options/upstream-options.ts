interface UpstreamOption {
  /** Its names here: the component has one of them. */
  readonly to?: readonly string[]
  /** Further differences, as the end of the sentence. */
  readonly note?: string
  /** The advice where none of the names is an option. */
  readonly otherwise?: string
}

const seconds = ', in milliseconds: AutoGen counts seconds'
const bytes = ', in bytes'
const ofExecutor = (option: string) => `it is \`${option}\` of the executor`
const ofAsk = (kind: string) => ({ to: ['ask'], note: `: { ${kind}: … }` })
const noFunctions =
  'tools are given to agents with `registerFunction()`, and functions that programs use go into a file: a block that begins with `# filename: functions.py`'
const noPrinting = 'nothing is printed unless `consoleView()` reads the events'
const noLog = 'the log of the server is not kept; how it failed to start is in the error'
const ownContainers = '`stop()` of an executor removes its container, and `stop()` of an environment its own'

/**
 * Options of AutoGen 0.2 and 0.4 and of AG2 that have a different name here, by their names in lower case without `_`.
 * A name that differs only in case and `_` (`human_input_mode`) needs no line.
 */
export const upstreamOptions: ReadonlyMap<string, UpstreamOption> = new Map<string, UpstreamOption>([
  // Executors
  ['timeout', { to: ['timeoutMs'], note: seconds, otherwise: `${ofExecutor('timeoutMs')}, in milliseconds` }],
  ['timeoutseconds', { to: ['timeoutMs'], note: seconds }],
  ['workdir', { otherwise: ofExecutor('workDir') }],
  ['workingdirectory', { to: ['workDir'], otherwise: ofExecutor('workDir') }],
  ['outputdir', { to: ['workDir'] }],
  ['binddir', { to: ['workDir'] }],
  ['directory', { to: ['workDir'] }],
  [
    'virtualenvcontext',
    { to: ['python'], note: ': the path of the virtual environment', otherwise: 'give `packages`' },
  ],
  ['functions', { otherwise: noFunctions }],
  ['functionsmodule', { otherwise: noFunctions }],
  ['functionmap', { otherwise: noFunctions }],
  ['deletetmpfiles', { to: ['cleanupTempFiles'] }],
  ['maxoutput', { to: ['maxOutputBytes'], note: bytes }],
  ['suppressresultoutput', { otherwise: 'results are always part of the output' }],
  // Containers
  ['dockerimage', { to: ['image'] }],
  ['customimagename', { to: ['image'] }],
  [
    'autoremove',
    { to: ['stopContainer'], note: ': with `false` the container stays', otherwise: ownContainers },
  ],
  ['stopcontainer', { otherwise: ownContainers }],
  ['cleanupcontainer', { to: ['stopContainer'], otherwise: ownContainers }],
  ['keepcontainerrunning', { otherwise: ownContainers }],
  ['containercreatekwargs', { to: ['createOptions'], note: ', in the words of the Docker Engine API' }],
  ['devicerequests', { to: ['gpus'], note: ": `'all'`, how many, or which" }],
  ['extravolumes', { to: ['volumes'], note: ', a list of { source, target, readOnly }' }],
  ['dockerenv', { to: ['env'] }],
  ['environment', { to: ['pythonEnvironment', 'env'] }],
  ['envvars', { to: ['env'] }],
  ['networkmode', { to: ['network'] }],
  ['memory', { to: ['memoryBytes'], note: bytes }],
  ['memlimit', { to: ['memoryBytes'], note: bytes }],
  ['cpuquota', { to: ['cpus'], note: ', as a number of processors' }],
  ['pidslimit', { to: ['pids'] }],
  ['containername', { otherwise: 'its containers get random names' }],
  [
    'containernameprefix',
    { to: ['containerName'], note: ', in full', otherwise: 'its containers get random names' },
  ],
  [
    'containerstartuptimeout',
    {
      to: ['startTimeoutMs'],
      note: seconds,
      otherwise: 'pass `start()` a signal: `AbortSignal.timeout(30_000)`',
    },
  ],
  ['dockerfile', { to: ['build'], note: ': its path, or { context, dockerfile, buildArgs }' }],
  ['buildargs', { to: ['build'], note: ': { context, dockerfile, buildArgs }' }],
  ['pippackages', { to: ['packages'] }],
  ['requirementsfile', { to: ['requirements'] }],
  // Python environments and Jupyter
  ['executable', { to: ['python', 'pythonPath'] }],
  ['pythonpath', { to: ['python', 'executable'] }],
  ['python', { to: ['executable', 'pythonPath'], otherwise: ofExecutor('python') }],
  ['venvpath', { to: ['python'] }],
  ['path', { to: ['venvPath', 'workDir'] }],
  ['ca', { to: ['caFile'], note: ', the path of the file' }],
  ['jupyterserver', { to: ['server'] }],
  ['exposeport', { to: ['port'], note: ', the port on this machine' }],
  ['logfile', { otherwise: noLog }],
  ['loglevel', { otherwise: noLog }],
  ['logmaxbytes', { otherwise: noLog }],
  ['logbackupcount', { otherwise: noLog }],
  // Agents
  [
    'llmconfig',
    {
      to: ['model'],
      note: ', a language model of the AI SDK; `modelOptions` has its temperature and the like',
    },
  ],
  ['modelclient', { to: ['model'], note: ', a language model of the AI SDK' }],
  ['modelclientstream', { otherwise: 'the text of a model always streams' }],
  ['modelinfo', { otherwise: 'the model of the AI SDK knows its capabilities' }],
  ['isterminationmsg', { to: ['isTermination'] }],
  ['executor', { to: ['codeExecutionConfig'] }],
  ['codeexecutor', { to: ['executor', 'codeExecutionConfig'] }],
  ['maxreplylength', { to: ['maxResultLength'] }],
  ['approvalfunc', ofAsk('code')],
  ['approve', ofAsk('code')],
  ['approvetool', ofAsk('tool')],
  ['approvenetwork', ofAsk('network')],
  ['approveinstall', ofAsk('install')],
  ['answerinput', ofAsk('input')],
  ['spawntimeoutms', { otherwise: 'abort the `abortSignal` of the call instead' }],
  [
    'usedocker',
    {
      to: ['executor'],
      note: ': `new DockerCommandLineCodeExecutor()` of @fenced/executor-docker, or `new LocalCommandLineCodeExecutor()` of @fenced/executor-local',
    },
  ],
  ['commandlinelocal', { to: ['executor'], note: ": { name: 'commandline-local', options: { … } }" }],
  ['ipythonembedded', { to: ['executor'], note: ": { name: 'ipython-embedded', options: { … } }" }],
  ['chatmessages', { otherwise: 'send the messages of before with `send()` and `requestReply: false`' }],
  ['silent', { otherwise: noPrinting }],
  ['verbose', { otherwise: noPrinting }],
  ['cache', { otherwise: 'caching is a middleware of the AI SDK, around the model' }],
  [
    'contextvariables',
    { to: ['context'], otherwise: 'store them in your own program, and add them with a hook' },
  ],
  // Conditions, contexts, teams
  ['agents', { to: ['participants'] }],
  ['maxround', { to: ['maxTurns'], note: ', the number of turns of all participants together' }],
  ['maxrounds', { to: ['maxTurns'], note: ', the number of turns of all participants together' }],
  ['speakerselectionmethod', { otherwise: 'the participants of a team speak in turn' }],
  ['seconds', { to: ['timeoutMs'], note: seconds }],
  ['maxmessagestermination', { to: ['maxMessages'] }],
])
