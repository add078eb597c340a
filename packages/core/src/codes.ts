/**
 * Every code that a `FencedError` of the packages of Fenced can have. `docs/errors.md` lists each with what happened and
 * what to do. A code keeps its meaning; new ones may be added, so a program that switches on codes needs a default.
 */
export type FencedErrorCode =
  // Options, configurations and calls
  | 'CONFIG_INCOMPLETE' // core, agents: A config leaves out options, such as secrets or functions, and `overrides` lacks some of them. → Give each listed path a value in `overrides`. `undefined` leaves the option unset.
  | 'CONFIG_VERSION' // core, agents, executor-jupyter: The installed package does not know the version of a config. → Install the package version that wrote the config, or a newer version. Or write the config again.
  | 'EXECUTION_ITERATED_TWICE' // core: A second loop was started over the events of one execution. → Await the execution. Its result contains everything.
  | 'INVALID_CONFIG' // core, agents: The input is not a config, or an override names a path that does not exist in the config. → Correct the path that the message names.
  | 'INVALID_OPTIONS' // all packages: An option or argument has a wrong name or value. → The message lists every fault and the name or values that are accepted.
  | 'NOT_CONFIGURABLE' // core, agents: An option holds a function or an object that cannot be written as data. → Leave it out with `toConfig({ omit: [...] })` and give it again when loading.
  | 'UNKNOWN_COMPONENT' // agents, executor-jupyter: A config names a provider that is not registered. → Call `registerComponent` for it first, or correct the name.
  | 'UNKNOWN_EXECUTOR' // core: No executor is registered under this name. → Import the `register` module of its package, for example `@fenced/executor-local/register`.
  | 'WRONG_COMPONENT' // agents: A config describes a different kind of component than the loader expects. → Load it with the class that its `provider` names.
  // Every executor
  | 'DRIVER_FAILED' // core, host: An executor threw an unexpected error while it ran a block, its driver continued after it had called `ended`, or its driver did not stop in time. → Read `cause` and the message. `result` contains the earlier blocks. The next call starts the executor again; a stateful executor needs `restart()`.
  | 'EXECUTOR_DIED' // core: A stateful executor lost its state in an earlier call. → Call `restart()` to continue with empty state.
  | 'EXECUTOR_FAILED' // agents: An executor threw an error that is not a `FencedError`. The conversation reports the error and does not throw it. → Read the message, which is the executor's.
  | 'EXECUTOR_STOPPED' // core, python-env: The executor was stopped, or stopped while it was starting. → Call `start()` to use it again.
  | 'INPUT_UNSUPPORTED' // core: `answerInput` was given to an executor whose programs have no standard input. Nothing was run. → Leave `answerInput` out, or choose an executor whose `capabilities.inputRequests` is true: a Jupyter kernel.
  | 'NODE_TOO_OLD' // all packages: Node is older than 22.18. Each import throws an `Error` with this `code`. → Install a newer Node. The message names your version and its path.
  | 'NO_RESOURCES' // host: This process has too many open files or processes, is out of memory, or was started with a file descriptor above its limit. → Close some files or processes, or raise the limits (`ulimit -n`, `ulimit -u`).
  | 'PREPARE_TIMEOUT' // core: An executor was not ready for a block within the limit. The block was not run. → Find the step that hangs, or call `restart()`.
  | 'TOOLS_UNSUPPORTED' // core: `tools` were given to an executor whose programs cannot call tools. Nothing was run. → Leave `tools` out, or choose an executor with `capabilities.toolLanguages`.
  | 'TEMP_DIR_UNUSABLE' // core, executor-jupyter: The directory for temporary files cannot be used. → Free space in the directory that the message names, or set `TMPDIR` to a different directory.
  | 'WORK_DIR_SHARED' // core, executor-jupyter, sandbox, sandbox-local: An isolated executor and an executor without isolation would use the same working directory, or one below the other. The message names the process that uses it. → Choose another `workDir`, or stop the other executor. `allowSharedWorkDir: true` for one of them allows it.
  | 'WORK_DIR_UNUSABLE' // core, executor-docker: The working directory cannot be made, read or written, or a link is in its place. → Check its permissions and free space, remove the link, or choose another `workDir`.
  // Sandboxes
  | 'FILE_REFUSED' // core, sandbox: A path leads out of the sandbox's directory or through a link; a directory has more than 100,000 names; or the sandbox refuses the path for the reason in the message. → Use a path below the sandbox's `directory`, or a path that its processes may use. List a large directory with a program.
  | 'NETWORK_APPROVAL_UNSUPPORTED' // core: `approveNetwork` was given to an executor that allows all hosts or none. Nothing was run. With `ask`, such an executor is accepted. → Leave `approveNetwork` out, or give the executor `network: { mode: 'custom', allowedHosts: [] }`.
  | 'NETWORK_HELPER_FAILED' // sandbox, sandbox-local: The network list needs a helper in the sandbox, and the helper does not work: the sandbox has neither Python nor Node (in bubblewrap: no Python), or the helper's port is taken. Nothing was run. → Use an image that has Python or Node, leave port 3128 of the sandbox free, or choose a different `network`.
  | 'NETWORK_NOT_CLOSED' // sandbox, executor-kubernetes: Fenced cannot promise that the sandbox's network is closed or limited to the list: a test connection got out, or the cluster has no policy. Nothing was run. → For pods, apply the NetworkPolicy of [docs/kubernetes.md](kubernetes.md) in a cluster that enforces policies. Otherwise follow the message.
  | 'SECRETS_UNAVAILABLE' // sandbox: The network has `secrets`, and the package that makes certificates is not installed. Nothing was run. → Run `npm install node-forge`.
  | 'NOT_RESUMABLE' // sandbox, sandbox-local, sandbox-docker, executor-kubernetes: `detached` or `resume` was given for a sandbox that ends with its process, that has a temporary directory, or that was made with different options. → Leave `detached` and `resume` out, choose a container, set `directory`, or repeat the original options.
  | 'POOL_FULL' // cli, sandbox, sandbox-docker: All sandboxes of a pool are in use, or all its engines are full. None became free in time, or too many callers wait. → Release leases with `release()`, or stop executors. Wait longer, or raise the limit that the message names.
  | 'POOL_STOPPED' // sandbox, sandbox-docker: The pool was stopped before or during the call. → Call `start()` to use a `SandboxPool` again, or make a new `EnginePool`.
  | 'SANDBOX_GONE' // sandbox, sandbox-local, sandbox-docker, executor-docker, executor-kubernetes, ai-sdk: The sandbox was not started or was stopped, or its container has ended. Nothing was run. → Call `start()`. The next call of an executor gets a new container.
  | 'SANDBOX_PORT_CLOSED' // sandbox, sandbox-local: No process listens on the port, the sandbox has its own network, or no program in the sandbox can forward a connection. → Wait until the process listens, give the sandbox a network, or install a program that the message names.
  | 'SESSION_OF_ANOTHER_USER' // sandbox: A session of a pool was requested with a different `user` than the user who began it. → Choose a different session id, or name the user who began the session.
  // Local processes and Python
  | 'ISOLATION_UNAVAILABLE' // sandbox-local, cli: The requested isolation does not work on this machine, or `--executor auto` found no isolation that works. Nothing was run. → Follow the message (usually: install bubblewrap, allow user namespaces, or pull the image). `fenced doctor` lists what is missing. To run the code with your rights, pass `--isolation none`.
  | 'LIMITS_UNAVAILABLE' // sandbox-local: This machine cannot enforce `memoryBytes`, `pids` or `cpus`. Nothing was run. → Follow the message (usually: a systemd session, or root), leave the option out, or use a container.
  | 'PRELOAD_FAILED' // sandbox: A module of `preload` cannot be imported. → Install the module for this Python, or remove it from `preload`.
  | 'PROGRAM_WRITABLE' // host, sandbox-local, sandbox-docker, python-env, executor-jupyter: Fenced would start this program outside the sandbox, but sandboxed code could replace it: the program is in a working directory, or it is a link into one. Fenced did not start it. → Install the program elsewhere, or choose another working directory. For Python: make the virtual environment before the start, with a Python from elsewhere.
  | 'PYTHON_NOT_FOUND' // sandbox-local, executor-jupyter, python-env: No Python was found, or the named program is not a Python. → Install Python, or set the option that the message names.
  | 'RUNNER_DIED' // sandbox: The resident Python of `warm` ended before it was ready. → Nothing. Blocks run without the resident Python, or the executor reports a more exact error.
  | 'RUNNER_UNSUPPORTED' // sandbox: This Python cannot fork a program from itself. → Nothing: each block starts an interpreter. `warm` needs a Python for Linux.
  // Engines, images and containers
  | 'BUILD_COMMAND_NOT_FOUND' // sandbox-docker: A Dockerfile must be built, and neither `docker` nor `podman` is on PATH. → Install `docker` or `podman`, or build the image elsewhere and give its name as `image`.
  | 'BUILD_CONTEXT_NOT_FOUND' // sandbox-docker: The directory or Dockerfile of `build` does not exist. → Correct the path.
  | 'BUILD_FAILED' // sandbox-docker: A step of an image build failed. → Read the builder's last output in the message.
  | 'CONTAINER_NAME_TAKEN' // sandbox-docker, executor-docker: Another container has this `containerName`. → Choose another name, or remove that container with `docker rm`.
  | 'CONTAINER_REFUSED' // sandbox-docker: The engine refused an option of the container. → Check the option that the message names: `runtime`, `network`, `gpus`, `volumes`, `user`, limits.
  | 'CONTAINER_UNUSABLE' // sandbox-docker, executor-docker, executor-kubernetes: A container does not answer as expected, is paused, or has lost its network or its directory. → Run the command in `data.command`, if the error has one. Otherwise check the `image` and `user` options.
  | 'DISK_FULL' // sandbox-docker: The engine's disk is full. → Free space: `docker system df` shows the largest users.
  | 'ENGINE_ELSEWHERE' // executor-jupyter: A Jupyter server in a container that publishes its port needs an engine on this machine, and this engine is remote. → Set `network: false`, or start a server on that machine and give its address as `server`.
  | 'ENGINE_FAILED' // sandbox-docker: The engine answered with an error. → Read the message, `docker info`, and the engine's log.
  | 'ENGINE_LOST' // sandbox-docker, sandbox: The connection to the engine was lost during a call, or the engine did not answer in time. → Check with `docker version` whether the engine runs, then start again.
  | 'ENGINE_UNREACHABLE' // sandbox-docker: No engine answers, or access to the engine is denied. → Start the engine, correct `DOCKER_HOST`, the context or the `engine` option, or join the `docker` group.
  | 'IMAGE_IN_USE' // python-env: An image of an environment was not removed because a container uses it. → Stop its executors, then call `stop()` again.
  | 'IMAGE_NOT_FOUND' // sandbox-docker, python-env, executor-kubernetes: The engine does not have the image and cannot pull it. → Check its name. Log in for a private image. Build or load an image that exists only here.
  | 'IMAGE_WITHOUT_PYTHON' // sandbox-docker: Packages were requested for an image without Python. → Choose an image with Python and pip.
  | 'IMAGE_WITHOUT_SHELL' // sandbox-docker, executor-kubernetes: The image has no `/bin/sh` or no `sleep`. → Choose another image.
  | 'INIT_COMMAND_FAILED' // executor-docker: The `initCommand` ended with an exit code other than 0. → Read its output in the message.
  | 'PULL_FAILED' // sandbox-docker, executor-kubernetes: An image could not be pulled: the registry is unreachable or limits requests. → Check the network of the engine's machine, log in, or load the image with `docker load`.
  | 'WORK_DIR_NOT_SHARED' // executor-docker: The engine does not see this machine's directory. → Set `workDirMode: 'copy'`, or `bindDir` to the path on the engine's machine.
  | 'WRONG_PLATFORM' // sandbox-docker: The image is built for a different processor than the engine has. → Choose another `image` or `platform`.
  // Clusters and pods
  | 'CLUSTER_FAILED' // executor-kubernetes: A cluster answered with an error, or something in a pod failed. → See the message and `kubectl get events`.
  | 'CLUSTER_FORBIDDEN' // executor-kubernetes: The cluster rejects the credentials, which Fenced has read again, or they lack a required permission. → Apply the role of [docs/kubernetes.md](kubernetes.md). `kubectl auth whoami` shows your identity.
  | 'CLUSTER_NOT_FOUND' // executor-kubernetes: No cluster could be read from the kubeconfig, or the kubeconfig needs a package that is not installed. → Check the `cluster` option and `KUBECONFIG`, or install the package that the message names.
  | 'CLUSTER_UNREACHABLE' // executor-kubernetes: No API server answers, or the connection to it was lost. → Check with `kubectl get --raw /readyz` whether the API server answers, then start again.
  | 'POD_NOT_STARTED' // executor-kubernetes: A pod did not start in time. The message names the missing condition. → Change the `pod` options, free capacity, or raise `startTimeoutMs`.
  | 'POD_REFUSED' // executor-kubernetes: The cluster rejected the pod: a quota, an admission policy, or a missing namespace. → Change the setting that the message names.
  | 'WARM_POOL_NOT_FOUND' // executor-kubernetes: The SandboxWarmPool that `claim` names does not exist, or the cluster has no kubernetes-sigs/agent-sandbox. → [Make the pool](kubernetes.md#warm-pools), or use `pod`.
  // Jupyter servers and kernels
  | 'JUPYTER_FAILED' // executor-jupyter: The Jupyter server answered with an error. → Read the server's answer in the message.
  | 'JUPYTER_NOT_INSTALLED' // executor-jupyter: The Python or the image has no Jupyter server. → Install `jupyter-server` and `ipykernel`.
  | 'JUPYTER_START_FAILED' // executor-jupyter: The Jupyter server did not start. → Read the end of the server's log in the message.
  | 'JUPYTER_STOPPED' // executor-jupyter: The Jupyter server was stopped while it was starting. → Start it again.
  | 'JUPYTER_UNAUTHORIZED' // executor-jupyter: The Jupyter server refused the token, or a request without a token. → Set `token`: `jupyter server list` shows it. If a proxy requires a login, set its `headers`.
  | 'JUPYTER_UNREACHABLE' // executor-jupyter: The Jupyter server cannot be reached, or the connection was lost and not restored. → Check the address, and that the server runs.
  | 'KERNEL_ANSWER_LOST' // executor-jupyter: The connection was restored, but the answer to a block was lost. The block may have run. → Call `restart()` to continue with an empty kernel.
  | 'KERNEL_GONE' // executor-jupyter: The server no longer has the kernel. → Call `restart()` to continue with an empty kernel.
  | 'KERNEL_LANGUAGE' // executor-jupyter: The kernel runs a different language than `language` names. → Set `language` to the language in the message, or change `kernelName`.
  | 'KERNEL_NOT_FOUND' // executor-jupyter: No kernel has this name or this `kernelId`. → Choose a name that the message lists, or the id of a running kernel.
  | 'KERNEL_NOT_INSTALLED' // executor-jupyter: The Python has no kernel. → Install `ipykernel` for this Python.
  | 'KERNEL_START_FAILED' // executor-jupyter: The kernel ended while it was starting, or its connection file cannot be used. → Read the cause in the message.
  | 'KERNEL_START_TIMEOUT' // executor-jupyter: The kernel did not answer within `startTimeoutMs`. → Raise `startTimeoutMs`, or find out why the kernel is slow.
  | 'PORT_TAKEN' // executor-jupyter, sandbox, web: Another program listens on the port, or this machine does not allow you to listen there. → Set a different `port` (`localPort`), or leave it out.
  | 'ZEROMQ_MISSING' // executor-jupyter: A kernel without a server needs the package `zeromq`, which is not installed or does not load. → Install `zeromq`, or use `LocalJupyterServer`.
  // Python environments and packages
  | 'ENVIRONMENT_STOPPED' // python-env: The environment was stopped during the call. → Call again. The call starts the environment.
  | 'EXTERNALLY_MANAGED' // python-env: The operating system manages the packages of this Python (PEP 668). → Use a `VenvPythonEnvironment`.
  | 'INSTALL_FAILED' // sandbox-docker, python-env: pip or uv could not install the packages, or reached a limit of its container. → Read the installer's output in the message, which names the option of a limit.
  | 'NOT_A_VENV' // python-env: `path` is a directory with other content. Nothing was changed. → Set a different `path`.
  | 'PYTHON_TOO_OLD' // python-env: The Python is older than `minimumVersion`. → Install a newer Python and name it with `executable`, or use a `VenvPythonEnvironment` with `pythonVersion`.
  | 'REQUIREMENTS_NOT_FOUND' // sandbox-docker, python-env: A requirements file cannot be read. → Correct `requirements` and the files that it includes.
  | 'UV_NOT_FOUND' // python-env: `installer: 'uv'` was set, and uv is not on PATH. → Install uv, or leave `installer` out.
  | 'VENV_FAILED' // python-env: The virtual environment cannot be created, or its Python does not work. → Follow the message: install `python3-venv`, free space, or set a different `venvPath`.
  | 'VENV_MISMATCH' // python-env: The existing virtual environment has a different Python than `pythonVersion`. → Set a different `venvPath`, or remove the environment.
  // Agents, conversations and teams
  | 'AGENT_CANNOT_REPLY' // agents: An agent has no model, executor, tool or person to reply with. → Give the agent a model, an executor, tools or human input.
  | 'AGENT_FAILED' // agents: An agent of a team failed. → Read `cause`. The next `run()` of the team asks the same agent again. `reset()` begins with the first agent.
  | 'AGENT_IS_ANSWERING' // agents: An agent with one conversation received a second message before it had answered the first. → Wait for the answer, or use a different agent.
  | 'APPROVAL_ELSEWHERE' // core: A kept approval is for a different executor, isolation, network or directory, or for different limits, variables or secrets. Nothing was run. → Ask again for the current executor.
  | 'APPROVAL_REQUIRED' // agents: A saved state has an open question, and the agent that loads the state has no `approve`, `approveTool` or person to ask. The state was not loaded. → Give the agent an approver, or deny the question: `loadState(state, { onQuestion: 'deny' })`.
  | 'APPROVAL_UNAVAILABLE' // core: The approver could not be reached, so the code was not run. → Read the reason in the message. Check the function of `ask` or `approve`.
  | 'APPROVAL_USED' // core: A decision does not allow an action to begin: it was used, denied or withdrawn, it expired, or it allows a different action. Nothing was run. → Read `data.state`, then ask again.
  | 'CHAT_IN_PROGRESS' // agents: The two agents already have a conversation. → Wait until it ends, or use a different agent.
  | 'CHAT_NOT_ENDED' // agents: The events ended before their result. → Pass all events, including the last.
  | 'CODE_CHANGED' // core: The code or a file name differs from the approved code or name. Nothing was run. → Ask for approval again.
  | 'DUPLICATE_APPROVAL' // core: A question with the same id is already in the queue or in the ledger. The second question was refused. → Give each question a random id.
  | 'EVENTS_ITERATED_TWICE' // agents: A second loop was started over the events of one run. → Await the run for its result.
  | 'HUMAN_INPUT_SCRIPT_ENDED' // agents: A scripted person was asked more questions than the script answers. → Add an answer.
  | 'HUMAN_INPUT_UNAVAILABLE' // agents: An agent needs a message from a person, and standard input is closed or not a terminal; or `ask` denied the message or failed. → Use a terminal, answer the question, or set `humanInputMode: 'never'`.
  | 'INVALID_APPROVAL' // core: A function of `ask`, a short form such as `approve`, or `answer()` of a queue returned an answer that does not fit the question. → Return `'allow'`, `'deny'` or `{ decision: 'deny', reason }`. Only code can be edited; a line of input needs `{ decision: 'answer', text }`. `data.kind` names the kind.
  | 'INVALID_HOOK' // agents: A hook was registered incorrectly or returned an invalid value. → Correct the hook as the message describes.
  | 'INVALID_MESSAGE' // agents: A message has an invalid form. → The error lists every fault.
  | 'INVALID_REPLY' // agents: A reply function returned a value that is not a reply. → Return `undefined`, `{ reply }` or `{ reply: null }`.
  | 'INVALID_STATE' // agents: A saved state does not fit the team or agent that loads it. → Load it with the team or agent that saved it.
  | 'INVALID_TASK' // agents: A task is not a text, a message, or a list of messages. → Pass a text, a message or a list of messages.
  | 'INVALID_TOKEN_COUNT' // agents: `countTokens` returned a value that is not a number of at least 0. → Correct the function.
  | 'INVALID_TOOL' // agents: A tool has a name that models do not accept. → Use letters, digits, `_` and `-`.
  | 'INVALID_TRIGGER' // agents: The trigger of a reply function has an invalid form or returned an invalid value. → Use a form that the message lists.
  | 'LEDGER_UNAVAILABLE' // core: A ledger could not be read or written, or a record in it is damaged. The action did not begin. → Repair the ledger (the message has the reason), then ask again.
  | 'OUTPUT_CLOSED' // agents: The stream that shows a conversation was closed. The conversation was stopped. → Keep the reader open.
  | 'SCRIPT_ENDED' // agents: A scripted model received more requests than the script answers. → Add an answer.
  | 'SEVERAL_PARTNERS' // agents: An agent has conversations with several agents, and the call names none of them. → Name the agent.
  | 'TEAM_IS_RUNNING' // agents: A team received a second task while it was working. → Wait, cancel, or make a second team.
  | 'UNKNOWN_APPROVAL' // core: No question with this id is waiting: it was answered or withdrawn. Or the ledger has no record of the request. → List the waiting questions with `pending`. Use the ledger of the request, or ask again.
  | 'UNKNOWN_PARTNER' // agents: An agent has had no conversation with the named agent. → Name a different agent.
  | 'UNKNOWN_REPLY_FUNCTION' // agents: The reply function to replace is not registered. → Register it, or name a different function.
  // Models
  | 'MODELS_NEEDED' // agents: A config names a model, and `models` was not given. → Give `loadComponent` a function `models` that returns the model.
  | 'MODEL_FAILED' // agents: No model answered. → Read the error of each model in the message and in `cause`.
  | 'MODEL_GAVE_NO_OBJECT' // agents: A model did not answer in the required form. → Try again, or use a different model.
  | 'MODEL_REFUSED' // agents: A filter of the provider stopped the answer. → Rephrase the task, or use a different model.
  | 'UNKNOWN_MODEL' // agents: `models` returned no model for an id. → Return a language model of the AI SDK for the id.
  // The page
  | 'CONVERSATIONS_DAMAGED' // web: The database of the conversations in `directory` is damaged. The message names the file. The other files of the conversations still exist. → Restore the file from a backup, or move it away.
  | 'CONVERSATIONS_OF_ANOTHER_VERSION' // web: A different version of `@fenced/web` wrote the conversations in `directory`. Nothing was changed. → Set a different `directory`, or use that version.
  | 'CONVERSATION_NOT_SAVED' // web: The log of conversations could not be written, as on a full disk. The turn has ended; the server and other conversations continue. → Free space on the disk of `directory`, or check its permissions. Then continue the conversation.
  | 'DIRECTORY_IN_USE' // web: Another server uses `directory`. → Stop that server, or set a different `directory`.
  | 'PAGE_NOT_BUILT' // web: The package does not contain the built page. → In the repository, run `pnpm build`. Otherwise install `@fenced/web` again.
  // Sandbox sessions of the AI SDK
  | 'SANDBOX_COMMAND_FAILED' // ai-sdk: A command of a session has no exit code: it did not start, or its end is unknown. → Read the reason in the message.
  | 'SANDBOX_FILE_FAILED' // ai-sdk: A file of the sandbox could not be read or written. → Read the reason in the message.
  | 'SANDBOX_INVALID_ARGUMENT' // ai-sdk: A call has an argument that the session does not accept. → Correct it as the message describes.
  | 'SANDBOX_NEEDS_DIRECTORY' // ai-sdk: The executor has no working directory on this machine. → Use an executor of `@fenced/executor-local` or `@fenced/executor-docker`.
  | 'SANDBOX_NEEDS_SHELL' // ai-sdk: The executor does not run each `sh` block in a separate process. → Use an executor of `@fenced/executor-local` or `@fenced/executor-docker`.
  | 'SANDBOX_NOT_A_DIRECTORY' // ai-sdk: The path is not a directory. → Give the path of a directory.
  | 'SANDBOX_NOT_A_FILE' // ai-sdk: The path is a directory or another kind of file. → Give the path of a regular file.
  | 'SANDBOX_NO_STDIN' // ai-sdk: The caller asked for standard input, which programs of this session do not have. → Write the input into a file.
  | 'SANDBOX_OTHER_DIRECTORY' // ai-sdk: `createExecutor` made an executor with a different working directory. → Give it the same `workDir`.

/**
 * Every code that a `Notice` of the packages of Fenced can have, besides those of errors. `docs/errors.md` lists each
 * with what happened and what to do.
 */
export type NoticeCode =
  // How a block ended
  | 'cancelled' // core: The caller stopped the block. → Nothing.
  | 'denied' // agents, core: A person or a policy refused to run it. → Nothing: it was not run.
  | 'died' // core, sandbox, executor-docker, executor-jupyter: The container, kernel or process of the block ended unexpectedly. The result of the block is unknown. → Run it again after `restart()`, or as the message describes.
  | 'edited' // agents: A person changed the code before it ran. → Nothing. The message has the changes.
  | 'end-not-recorded' // core: The program ended, but the ledger could not record its end. The decision counts as `unknown`. The result is complete. → Repair the ledger (`data.reason`).
  | 'ended-by-signal' // core: A signal ended the program. The exit code is 128 plus the number of the signal. → Nothing. The message names the signal.
  | 'html-entities' // core: A program with a syntax error contains an HTML entity such as `&amp;`. → Write the characters instead of the entities.
  | 'input-denied' // core: The program read a line, and no answer came. It received the end of its input. → Read the reason in the message.
  | 'invalid' // core, agents: A tool was called with code that cannot be run. → The message names the reason.
  | 'module-not-saved' // core: A program imports a module whose file is a block of the same answer, and the block was not saved under that name. No package is suggested or installed. → Write `# filename: NAME.py` in the first line of that block.
  | 'notebook-command' // core: A Python program that runs as a file has a line such as `!pip install x` or `%matplotlib inline`. → Write shell commands in a separate shell block; leave magics out.
  | 'out-of-memory' // executor-docker: The program reached the memory limit. → Raise `memoryBytes`, in a pod `pod.resources.limits.memory`, or let the code use less.
  | 'output-limit' // core: The program wrote more than `maxOutputBytes`, and `outputLimitPolicy` stops such a program. → Raise the limit, or print less.
  | 'process-out-of-memory' // core: Memory ran out, and a process in the sandbox was killed, such as a child of the program. The program itself was not killed. → Raise the limit (`data.limit`, if a limit was set), or let the code use less.
  | 'program-changed' // core: Another process, or the program itself, changed, renamed or removed the program's file before the end, so another program may have run. → Do not rely on the output. Stop other processes that write to the working directory, and run the program again.
  | 'timeout' // core: A time limit passed. `data.option` names it: `timeoutMs` for the program, `maxWaitMs` for its questions to people. → Raise that option, make the code faster, or answer sooner.
  | 'tools-unavailable' // sandbox, executor-jupyter: A block was given `tools`, and the Python or the kernel cannot forward calls. The block was not run. → Use CPython 3.8 or later on Linux outside gVisor, or a kernel with ipykernel 6 or later. Or leave `tools` out.
  // Why a block was not run
  | 'data' // core: The language of the block is data (`json`, `text`). The block was skipped. → Nothing.
  | 'file-name' // core: The first line of the block names a file that cannot be used. → Name a file inside the working directory.
  | 'no-interpreter' // sandbox, executor-docker: The sandbox has no interpreter for the language. → Install the interpreter, or choose a different image.
  | 'no-language' // core: The block names no language and does not look like a program. It was skipped. → Write the language after the opening fence.
  | 'not-run' // core, agents: This executor does not run the language. → Use one of the languages that the message lists.
  | 'not-started' // host, sandbox: An interpreter, a program or the sandbox could not be started. The block was not run. → Read the reason in the message.
  | 'unclosed' // core: The block has no closing fence, or the end of a Markdown document is ambiguous. A part may be missing. → Send the whole block again. Put a Markdown document into a longer fence.
  | 'unknown-language' // core: The language of the block is unknown. The block was skipped. A call without another block to run is `invalid`. → Use one of the languages that the message lists, or add a row to `languages`.
  | 'unsupported-language' // core: Fenced knows the language, but this executor does not run it. The block was skipped. A call without another block to run is `invalid`. → Use one of the languages that the message lists.
  // What a result lacks
  | 'connections-left-out' // core: The program made more than 1,000 connections with the same verdict. The message has their number and, for allowed connections, the hosts and bytes. → Watch `sandbox.network`, which reports every connection.
  | 'files-left-out' // core: The block showed more pictures and documents than Fenced saves. → Show fewer, or write files.
  | 'files-not-copied' // executor-docker: Some files in the container could not be copied to this machine. → Nothing. The message names the files and the reason.
  | 'files-not-listed' // core: The working directory has too many files, so changes are not listed. Or the named files have names that are not UTF-8, are more than 100 directories deep, or are in unreadable directories. → Use a smaller directory, or rename the files.
  | 'left-behind' // host, sandbox: A process of the program may still run: it escaped, or belongs to a different user. → Find it with `ps` and end it. Use an isolation that ends all processes.
  | 'live-output-dropped' // core: Events arrived faster than they were read, or `shareReplay` is too small. Some output is missing from the events. → Read the result, which is complete.
  | 'notices-left-out' // core: The block had more notices with the same code than Fenced keeps (100, or 256 KiB of text). → Nothing: notices with other codes are complete.
  | 'output-dropped' // executor-jupyter: The kernel wrote faster than Fenced could read, or did not report the end of its output. → Print less. Call `restart()` if the end is missing.
  | 'output-dropped-by-server' // executor-jupyter: The rate limit of the Jupyter server dropped output. → Print less, or raise the server's limit.
  | 'result-not-saved' // core: A picture or document could not be written into the working directory. → Read the reason in the message.
  | 'results-left-out' // core: The block showed more rich results than Fenced keeps, or a result with too many MIME types. → Show fewer results.
  // What happened to the sandbox or kernel
  | 'connection-restored' // executor-jupyter: The connection to the server was lost and restored. → Nothing. A part of the output may be missing.
  | 'container-replaced' // executor-docker: A new container replaced the old one. → Start programs and install packages again. Files in the working directory were kept.
  | 'engine-skipped' // sandbox-docker: A pool skips an engine that does not answer or whose certificates are refused. → Read the reason in the message. The pool uses the engine again when it answers.
  | 'interpreter-substituted' // core, executor-docker: A different interpreter ran the block than its label names: `bash` for `zsh`, or `sh` for `bash` in an image without Bash. → Label the block `bash`. Use an image that has Bash.
  | 'kernel-step-off' // executor-jupyter: The version of ipykernel does not support some of the changes that Fenced makes to a Python kernel. `steps` names them; [Versions of ipykernel](../packages/executor-jupyter/README.md#versions-of-ipykernel) says what each does. → Install ipykernel 7.4 or later if you need these steps.
  | 'late-output' // executor-jupyter: A thread, task or process of an earlier cell wrote after the end of that cell. `cell` is the number of the cell, and `output` is the beginning of the text. → Nothing, or stop threads and processes before the cell ends.
  | 'leftovers-remain' // sandbox, sandbox-docker, executor-docker: Containers or images of an ended process could not be removed yet, or an engine does not answer during a block whose container outlives the process. → Nothing: the next start tries again. `docker rm --force` removes them.
  | 'leftovers-removed' // sandbox-docker: Containers or images of an ended process were removed. → Nothing.
  | 'limits-unavailable' // sandbox-local: This machine cannot limit memory or processes in the sandbox. → Follow the message, set the options to `false`, or use a container.
  | 'network-lost' // sandbox: The helper of a network list ended, usually because a program killed it, and could not be started again. The code has no network. → Restart the executor.
  | 'network-refused' // core: The program tried to reach a host that is not in the network list of its sandbox. → Add the hosts that the message names to `allowedHosts` if the code may reach them.
  | 'no-network' // core: The code failed in a way that is typical without a network, and it has no network. → Turn on `network` if the code may use it. With the `fenced` command, pass `--network`.
  | 'not-warm' // sandbox: `warm` has no effect on this system or Python. → Nothing: every block starts an interpreter.
  | 'outside-work-dir' // core: An isolated program could not read or write a file outside its working directory. A relative path counts if the directory is temporary. → Put the file into the working directory, or set `workDir` (`--work-dir` of `fenced run` and `fenced mcp`) to the directory that has the file.
  | 'preparation-not-kept' // sandbox-local: Fenced could not keep the files of a preparation, so each start prepares them again. The message names the directory and the reason. → Make the directory writable, or set `XDG_CACHE_HOME` to another directory.
  | 'restart-failed' // agents: An executor died and could not be started again. → Read the reason in the message.
  | 'session-ended' // sandbox: The session of a `SandboxPool` has a new sandbox. The message has the reason, and whether files were kept. Variables and running programs were lost. → Define again the variables that the next block needs.
  | 'state-kept' // executor-jupyter: A cell was interrupted, and the kernel kept its variables. → Nothing.
  | 'state-lost' // executor-jupyter, agents: The kernel or executor was replaced, and its variables are lost. → Define again the variables that the next block needs.
  | 'weaker-isolation' // executor-docker, sandbox-local: `createOptions` weaken the isolation of the container. Or Fenced runs as root, and programs in bubblewrap are root too: they can read root's files in the directories that they see. → Leave out the options that the message names. Start Fenced as another user, or install the package that the message names.
  | 'work-dir-recreated' // core: The working directory had been removed. Fenced created an empty directory. → Nothing. Files of earlier blocks are lost.
  // Images and packages
  | 'build' // sandbox-docker: Progress of an image build. → Wait.
  | 'credentials' // sandbox-docker: A stored login for a registry could not be used, so no login was sent. → Log in again if the image is private.
  | 'install' // sandbox-docker, python-env: Progress of an installation. → Wait.
  | 'install-denied' // core: A missing package was not installed, because the approver denied it. → Ask the approver, or write the program without the package.
  | 'install-failed' // core: A missing package could not be installed. → Read the reason in the message.
  | 'missing-package' // core: A Python module is missing. → Install the package. The message and `data` name it and, where known, the command.
  | 'package-installed' // core: A missing package was installed. → Run the block again if the message says that it did not run.
  | 'pull' // sandbox-docker: Progress of an image pull. → Wait.
  | 'waiting' // python-env, sandbox-local: Another process is creating or changing the virtual environment or preparation. → Wait. The message names the lock file. Fenced removes the lock of an ended process on this machine at once, and any other lock when it has not been touched for a minute.
  // Agents
  | 'answer-cut' // agents: The answer of a model reached its token limit. Fenced asked the model once to continue. → Raise `modelOptions.maxOutputTokens`, or ask for less.
  | 'failure-repeated' // agents: The same program or the same failure came again, so Fenced did not retry. → Nothing.
  | 'model-failed' // agents: No model answered in the middle of a task. → Read the reason in the message.
  | 'model-fallback' // agents: A model failed. Fenced asks the next model. → Nothing.
  | 'program-repeated' // agents: The same program succeeded with the same output at least three times in a row. The fifth time ends the conversation. → Nothing. The model receives the notice.
  | 'retries-used-up' // agents: All retries are used up. → Raise `maxRetriesOnError`.
  | 'retry-declined' // agents: The model decided against another retry. → Nothing.
  | 'retry-time-over' // agents: The time for retries has passed. → Raise `retryTimeLimitMs`.
  | 'retry-tokens-used-up' // agents: The token limit for retries is used up. → Raise `retryTokenLimit`.
  | 'retry-undecided' // agents: The model could not decide whether to retry. → Read the reason in the message.

/** A code of an executor, a sandbox or a tool that is not part of Fenced. Editors still complete the known ones. */
export type ForeignCode = string & {}
