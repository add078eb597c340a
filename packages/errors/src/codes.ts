/**
 * Every code that a `FencedError` from Fenced's packages can have. For each code, `docs/errors.md` says what happened and
 * what to do. Codes keep their meaning, but new ones may be added, so a program that switches on codes needs a default.
 */
export type FencedErrorCode =
  // Options, configurations and calls
  | 'CONFIG_INCOMPLETE' // core, agents: A config omits options such as secrets or functions, and `overrides` does not supply all of them. → Set each listed path in `overrides`. `undefined` leaves the option unset.
  | 'CONFIG_VERSION' // core, agents, executor-jupyter: The installed package does not support this version of the config. → Install the package version that wrote the config, or a newer one. Or write the config again.
  | 'EXECUTION_ITERATED_TWICE' // core: The events of an execution were iterated a second time. → Await the execution. Its result contains everything.
  | 'INVALID_CONFIG' // core, agents: The input is not a valid config, or an override names a path that the config does not contain. → Correct the input, or the path named in the message.
  | 'INVALID_OPTIONS' // all packages: An option or argument has an invalid name or value. → Correct every fault listed in the message, which also gives the accepted names or values.
  | 'NOT_CONFIGURABLE' // core, agents: An option holds a function or an object that cannot be written as data. → Leave the option out with `toConfig({ omit: [...] })`, and supply it again when you load the config.
  | 'UNKNOWN_COMPONENT' // agents, executor-jupyter: A config names a provider that is not registered. → Register the provider with `registerComponent` first, or correct its name.
  | 'UNKNOWN_EXECUTOR' // core: No executor is registered under this name. → Import the `register` module from the executor's package, such as `@fenced/executor-local/register`.
  | 'WRONG_COMPONENT' // agents: A config describes a different kind of component than the loader expects. → Load it with the class named in its `provider`.
  // Every executor
  | 'DRIVER_FAILED' // core, host: An executor threw an unexpected error while running a block, continued after it had reported the end of the block, or did not stop in time. → Check the message and `cause`. `result` contains the earlier blocks. The next call restarts the executor, but a stateful executor needs `restart()`.
  | 'EXECUTOR_DIED' // core: A stateful executor lost its state in an earlier call. → Call `restart()` to continue with an empty state.
  | 'EXECUTOR_FAILED' // agents: An executor threw an error other than a `FencedError`. The conversation reports the error instead of throwing it. → Read the message, which comes from the executor.
  | 'EXECUTOR_STOPPED' // core, python-env: The executor was stopped, perhaps while it was still starting. → Call `start()` to use it again.
  | 'NO_CHECKPOINT' // sandbox: `session.undo()`, `restore()` or `checkpoint()` was called for a state that has no checkpoint. The message gives the reason. Nothing was changed. → Undo fewer blocks, use the name of an existing checkpoint, or raise `checkpoints` or `checkpointBytes`.
  | 'NODE_TOO_OLD' // all packages: Node is older than 22.18. Every import throws an `Error` with this `code`. → Upgrade Node. The message shows your version and its path.
  | 'NO_RESOURCES' // host: This process has too many open files or processes, is out of memory, or was started with a file descriptor above its limit. → Close files, stop processes, or raise the limits (`ulimit -n`, `ulimit -u`).
  | 'START_TIMEOUT' // core: An executor did not start within the time limit of its kind, so nothing was run. → Find the step that hangs, or raise `startTimeoutMs` where the executor is defined.
  | 'PREPARE_TIMEOUT' // core: An executor was not ready for a block within the time limit, so the block was not run. → Find the step that hangs, or call `restart()`.
  | 'TOOLS_UNSUPPORTED' // core: `tools` was passed to an executor whose programs cannot call tools. Nothing was run. → Remove `tools`, or use an executor with `capabilities.toolLanguages`.
  | 'TEMP_DIR_UNUSABLE' // core, executor-jupyter: The temporary directory cannot be used. → Free space in the directory named in the message, or set `TMPDIR` to a different one.
  | 'WORK_DIR_SHARED' // core, executor-jupyter, sandbox, sandbox-local: An isolated executor and another executor would share a working directory, or one directory would be inside the other. The message names the process that is using it. → Choose another `workDir`, or stop the other executor. To allow sharing, set `allowSharedWorkDir: true` on either executor.
  | 'WORK_DIR_UNUSABLE' // core, executor-docker: The working directory cannot be created, read or written, or its path is a link. → Check its permissions and free space, remove the link, or choose another `workDir`.
  // Sandboxes
  | 'FILE_REFUSED' // core, sandbox: A path leads outside the sandbox's directory or through a link, a directory has more than 100,000 names, or the sandbox refuses the path for the reason given in the message. → Use a path inside the sandbox's `directory`, or a path that its processes may use. To list a large directory, run a program.
  | 'NETWORK_HELPER_FAILED' // sandbox, sandbox-local: A network allowlist needs a helper in the sandbox, and that helper does not work: the sandbox has neither Python nor Node (bubblewrap needs Python), or the helper's port is taken. Nothing was run. → Use an image that has Python or Node, leave port 3128 in the sandbox free, or choose a different `network`.
  | 'NETWORK_NOT_CLOSED' // sandbox, executor-kubernetes: Fenced cannot guarantee that the sandbox's network is closed or limited to the allowlist: a test connection got out, or the cluster has no policy. Nothing was run. → For pods, apply the NetworkPolicy from [docs/kubernetes.md](kubernetes.md) in a cluster that enforces policies. Otherwise follow the message.
  | 'SECRETS_UNAVAILABLE' // sandbox: The network has `secrets`, but the package that creates certificates is not installed. Nothing was run. → Run `npm install node-forge`.
  | 'NOT_RESUMABLE' // sandbox, sandbox-local, sandbox-docker, executor-kubernetes: `detached` or `resume` was set for a sandbox that ends with its process, uses a temporary directory, or was created with different options. → Remove `detached` and `resume`, use a container, set `workDir`, or repeat the original options.
  | 'NO_TERMINAL' // sandbox: A process was to run in a terminal, or a terminal was to be resized, and the sandbox has neither a working Python nor a `script` that can do that. Nothing was started. → Use an image with Python, or start the process without `terminal`.
  | 'NOT_PAUSABLE' // sandbox, sandbox-local: `pause()` was called for a sandbox that cannot be paused, or that has a process of another user. → Check `capabilities.pause` first. Stop the sandbox instead, or use a container.
  | 'POOL_FULL' // cli, sandbox: All of a pool's sandboxes are in use. Either none became free in time, or too many callers are waiting. → Release leases with `release()`, wait longer, or raise the limit named in the message.
  | 'POOL_STOPPED' // sandbox: The pool was stopped before or during the call. → Call `start()` to use the pool again.
  | 'SANDBOX_GONE' // sandbox, sandbox-local, sandbox-docker, executor-docker, executor-kubernetes, ai-sdk: The sandbox was never started, was stopped, or lost its container. Nothing was run. → Call `start()`. An executor gets a new container on its next call.
  | 'SANDBOX_PAUSED' // core: The sandbox is paused, so the block or process was not started. → Call `resume()`, then try again.
  | 'SANDBOX_PORT_CLOSED' // sandbox, sandbox-local: Nothing is listening on the port, the sandbox has its own network, or the sandbox has neither Python nor Node to relay the connection. → Wait until a process listens on the port, give the sandbox a network, or use an image with Python or Node.
  | 'KEY_OF_ANOTHER_USER' // sandbox: A pool key was requested with a different `user` than the one who first used it. → Use a different key, or pass the `user` who started the session.
  // Local processes and Python
  | 'ISOLATION_UNAVAILABLE' // sandbox-local, cli: The requested isolation does not work on this machine, or `--executor auto` found no isolation that does. Nothing was run. → Follow the message, which usually asks you to install bubblewrap, allow user namespaces, or pull the image. `fenced doctor` lists what is missing.
  | 'LIMITS_UNAVAILABLE' // sandbox-local: This machine cannot enforce `memoryBytes`, `pids` or `cpus`, which the options set. Nothing was run. → Follow the message, which usually asks for a systemd session or root. Or remove the option, or use a container.
  | 'PRELOAD_FAILED' // sandbox: A module in `preload` cannot be imported. → Install the module for this Python, or remove it from `preload`.
  | 'PROGRAM_WRITABLE' // host, sandbox-local, sandbox-docker, python-env, executor-jupyter: Fenced refused to start a program outside the sandbox because sandboxed code could replace it: the program is in a working directory, or is a link into one. → Install the program elsewhere, or choose another working directory. For Python, create the virtual environment before you start the executor, from a Python installed elsewhere.
  | 'PYTHON_NOT_FOUND' // sandbox-local, executor-jupyter, python-env: No Python was found, or the program you named is not a Python. → Install Python, or set the option named in the message.
  | 'RESIDENT_PYTHON_DIED' // sandbox: The resident Python process that `warm` uses exited before it was ready. → No action needed. Blocks run without the process, or the executor reports a more specific error.
  | 'RESIDENT_PYTHON_UNSUPPORTED' // sandbox: This Python cannot fork itself to run a program. → No action needed: each block starts an interpreter. `warm` requires a Python for Linux.
  // Engines, images and containers
  | 'BUILD_COMMAND_NOT_FOUND' // sandbox-docker: A Dockerfile must be built, but neither `docker` nor `podman` is on PATH. → Install `docker` or `podman`, or build the image elsewhere and pass its name as `image`.
  | 'BUILD_CONTEXT_NOT_FOUND' // sandbox-docker: The directory or Dockerfile named in `build` does not exist. → Correct the path.
  | 'BUILD_FAILED' // sandbox-docker: A step in an image build failed. → Check the end of the build output in the message.
  | 'CONTAINER_NAME_TAKEN' // sandbox-docker, executor-docker: Another container already has this `containerName`. → Choose another name, or remove that container with `docker rm`.
  | 'CONTAINER_REFUSED' // sandbox-docker: The engine rejected one of the container's options. → Check the option named in the message: `runtime`, `network`, `gpus`, `volumes`, `user`, or a limit.
  | 'CONTAINER_UNUSABLE' // sandbox-docker, executor-docker, executor-kubernetes: A container does not respond as expected, is paused, or has lost its network or its directory. → If the error has `data.command`, run that command. Otherwise check the `image` and `user` options.
  | 'DISK_FULL' // sandbox-docker: The engine's disk is full. → Free some space. `docker system df` shows what uses the most.
  | 'DISK_LIMIT_UNAVAILABLE' // sandbox-docker: The limit `diskBytes` is not in force, because programs could write more in a place that `data.reason` names. → Use `workDirMode: 'copy'` with Docker, a directory on a file system with a quota, or a pod. Otherwise leave out `diskBytes`.
  | 'ENGINE_FAILED' // sandbox-docker: The engine returned an error. → Check the message, `docker info`, and the engine's log.
  | 'ENGINE_LOST' // sandbox-docker, sandbox: The connection to the engine was lost during a call, or the engine did not respond in time. → Run `docker version` to check that the engine is running, then start again.
  | 'ENGINE_UNREACHABLE' // sandbox-docker: The engine does not respond, or it denies access. → Start the engine, or correct `DOCKER_HOST`, the context or the `docker` option. If access is denied, join the `docker` group.
  | 'IMAGE_IN_USE' // python-env: An environment's image was not removed because a container is using it. → Stop the executors that use it, then call `stop()` again.
  | 'IMAGE_NOT_FOUND' // sandbox-docker, python-env, executor-kubernetes: The engine does not have the image and cannot pull it. → Check the image's name. If the image is private, log in. If it exists only on this machine, build or load it first.
  | 'IMAGE_WITHOUT_PYTHON' // sandbox-docker: Packages were requested for an image that has no Python. → Choose an image with Python and pip.
  | 'IMAGE_WITHOUT_SHELL' // sandbox-docker, executor-kubernetes: The image lacks `/bin/sh` or `sleep`. → Choose another image.
  | 'INIT_COMMAND_FAILED' // sandbox: The `initCommand` exited with a nonzero code. → Check its output in the message.
  | 'PULL_FAILED' // sandbox-docker, executor-kubernetes: An image could not be pulled because the registry is unreachable or is limiting requests. → Check the network on the engine's machine, log in, or load the image with `docker load`.
  | 'WORK_DIR_NOT_SHARED' // executor-docker: The engine cannot see the directory on this machine. → Set `workDirMode: 'copy'`, or set `bindDir` to the directory's path on the engine's machine.
  | 'WRONG_PLATFORM' // sandbox-docker: The image was built for a different processor than the engine's. → Choose another `image` or `platform`.
  // Clusters and pods
  | 'CLUSTER_FAILED' // executor-kubernetes: The cluster returned an error, or something in a pod failed. → Check the message and `kubectl get events`.
  | 'CLUSTER_FORBIDDEN' // executor-kubernetes: The cluster rejected the credentials even after Fenced read them again, or they lack a required permission. → Apply the role from [docs/kubernetes.md](kubernetes.md). `kubectl auth whoami` shows your identity.
  | 'CLUSTER_NOT_FOUND' // executor-kubernetes: No cluster could be read from the kubeconfig, or the kubeconfig requires a package that is not installed. → Check the `cluster` option and `KUBECONFIG`, or install the package named in the message.
  | 'CLUSTER_UNREACHABLE' // executor-kubernetes: The API server does not respond, or the connection to it was lost. → Run `kubectl get --raw /readyz` to check that it responds, then start again.
  | 'POD_NOT_STARTED' // executor-kubernetes: A pod did not start in time. The message names the unmet condition. → Change the `pod` options, free up capacity, or raise `startTimeoutMs`.
  | 'POD_REFUSED' // executor-kubernetes: The cluster rejected the pod because of a quota, an admission policy, or a missing namespace. → Change the setting named in the message.
  | 'WARM_POOL_NOT_FOUND' // executor-kubernetes: The SandboxWarmPool named in `claim` does not exist, or the cluster does not have kubernetes-sigs/agent-sandbox. → [Create the pool](kubernetes.md#warm-pools), or use `pod`.
  // Jupyter servers and kernels
  | 'JUPYTER_FAILED' // executor-jupyter: The Jupyter server returned an error. → Check the server's response in the message.
  | 'JUPYTER_NOT_INSTALLED' // executor-jupyter: The Python or the image does not have Jupyter Server. → Install `jupyter-server` and `ipykernel`.
  | 'JUPYTER_START_FAILED' // executor-jupyter: The Jupyter server did not start. → Check the end of the server's log in the message.
  | 'JUPYTER_STOPPED' // executor-jupyter: The Jupyter server was stopped while it was starting. → Start it again.
  | 'JUPYTER_UNAUTHORIZED' // executor-jupyter: The Jupyter server rejected the token, or a request without a token. → Set `token`, which `jupyter server list` shows. If a proxy requires a login, set the `headers` it needs.
  | 'JUPYTER_UNREACHABLE' // executor-jupyter: The Jupyter server cannot be reached, or the connection was lost and could not be restored. → Check the address, and check that the server is running.
  | 'KERNEL_ANSWER_LOST' // executor-jupyter: The connection was restored, but the reply to a block was lost. The block may have run. → Call `restart()` to continue with an empty kernel.
  | 'KERNEL_GONE' // executor-jupyter: The kernel no longer exists on the server. → Call `restart()` to continue with an empty kernel.
  | 'KERNEL_LANGUAGE' // executor-jupyter: The kernel runs a different language than `language` specifies. → Set `language` to the language shown in the message, or change `kernelName`.
  | 'KERNEL_NOT_FOUND' // executor-jupyter: No kernel has this name or `kernelId`. → Choose a name listed in the message, or the id of a running kernel.
  | 'KERNEL_NOT_INSTALLED' // executor-jupyter: No kernel is installed for this Python. → Install `ipykernel` for it.
  | 'KERNEL_START_FAILED' // executor-jupyter: The kernel exited while it was starting, or its connection file cannot be used. → Read the cause in the message.
  | 'KERNEL_START_TIMEOUT' // executor-jupyter: The kernel did not respond within `startTimeoutMs`. → Raise `startTimeoutMs`, or find out why the kernel is slow.
  | 'PORT_TAKEN' // executor-jupyter, sandbox, web: Another program is using the port, or this machine does not allow you to listen on it. → Set a different `port` (or `localPort`), or leave it out.
  | 'ZEROMQ_MISSING' // executor-jupyter: A kernel without a server requires the `zeromq` package, which is not installed or does not load. → Install `zeromq`, or use `LocalJupyterServer`.
  | 'THREAD_UNSUPPORTED' // executor-jupyter: A kernel without a server was to start in a worker thread, where `zeromq` would end the whole process when the thread ends. Nothing was run. → Create the executor in the main thread, or set `server`.
  // Python environments and packages
  | 'ENVIRONMENT_STOPPED' // python-env: The environment was stopped during the call. → Call again, which starts the environment.
  | 'EXTERNALLY_MANAGED' // python-env: The operating system manages this Python's packages (PEP 668). → Use a `VenvPythonEnvironment`.
  | 'INSTALL_FAILED' // sandbox-docker, python-env: pip or uv could not install the packages, or reached a limit set on its container. → Check the installer's output in the message. If a limit was reached, the message names its option.
  | 'NOT_A_VENV' // python-env: `venvPath` is a directory that contains other files. Nothing was changed. → Set a different `venvPath`.
  | 'PACKAGE_NOT_ALLOWED' // core: `installPackages` was called with a package that is not in `installablePackages`. Nothing was installed. → Add the package to `installablePackages`, or request one that is in it.
  | 'PYTHON_TOO_OLD' // python-env: This Python is older than `minimumVersion`. → Install a newer Python and set `executable` to it, or use a `VenvPythonEnvironment` with `pythonVersion`.
  | 'REQUIREMENTS_NOT_FOUND' // sandbox-docker, python-env: A requirements file cannot be read. → Check `requirements` and the files it includes.
  | 'UV_NOT_FOUND' // python-env: `installer: 'uv'` is set, but uv is not on PATH. → Install uv, or leave `installer` out.
  | 'VENV_FAILED' // python-env: The virtual environment cannot be created, or its Python does not work. → Follow the message: install `python3-venv`, free some space, or set a different `venvPath`.
  | 'VENV_MISMATCH' // python-env: The existing virtual environment has a different Python than `pythonVersion` asks for. → Set a different `venvPath`, or remove the environment.
  // Agents, conversations and teams
  | 'AGENT_CANNOT_REPLY' // agents: An agent has no model, executor, tool or person to reply with. → Give the agent a model, an executor, tools or human input.
  | 'AGENT_FAILED' // agents: An agent on a team failed. → Check `cause`. The team's next `run()` asks the same agent again. To start over with the first agent, call `reset()`.
  | 'AGENT_IS_ANSWERING' // agents: An agent that holds one conversation at a time received a message while it was still answering another. → Wait for the answer, or use a different agent.
  | 'APPROVAL_DENIED' // core: An approver denied a process, a file change or an installation beside an executor's blocks, or `ask` decides about code but not about this kind. Nothing was started, changed or installed. → Read the reason in the message. If a function is missing, add it to `ask`.
  | 'APPROVAL_ELSEWHERE' // core: A saved approval is for a different executor, isolation level, network or directory, or for different limits, environment variables or secrets. Nothing was run. → Ask again for the current executor.
  | 'APPROVAL_REQUIRED' // agents: A saved state contains an open question, but the agent that loads the state has neither an `ask` option nor a person to ask. The state was not loaded. → Give the agent an approver, or deny the question with `loadState(state, { onQuestion: 'deny' })`.
  | 'APPROVAL_UNAVAILABLE' // core: The approver could not be reached or failed, so the code was not run. → Read the reason in the message, and check your `ask` function.
  | 'APPROVAL_USED' // core: A decision does not allow this action to start: it was already used, was denied or withdrawn, has expired, or is for a different action. Nothing was run. → Check `data.state`, then ask again.
  | 'CHAT_IN_PROGRESS' // agents: The two agents are already in a conversation. → Wait until it ends, or use a different agent.
  | 'CHAT_NOT_ENDED' // agents: The events stop before their result. → Pass all events, including the last one.
  | 'CODE_CHANGED' // core: The code or a file name differs from what was approved. Nothing was run. → Ask for approval again.
  | 'DUPLICATE_APPROVAL' // core: A question with this id is already in the queue or in the ledger, so the second question was refused. → Give each question a random id.
  | 'EVENTS_ITERATED_TWICE' // agents: The events of a run were iterated a second time. → Await the run to get its result.
  | 'HUMAN_INPUT_SCRIPT_ENDED' // agents: A scripted person was asked more questions than the script has answers for. → Add an answer.
  | 'HUMAN_INPUT_UNAVAILABLE' // agents: An agent needs a message from a person, but standard input is closed or not a terminal, or `ask` failed or denied the message. → Use a terminal, answer the question, or set `humanInputMode: 'never'`.
  | 'INVALID_APPROVAL' // core: An `ask` function or a queue's `answer()` gave an answer that does not fit the question. → Return `'allow'`, `'deny'` or `{ decision: 'deny', reason }`. Only code can be edited, and a line of input needs `{ decision: 'answer', text }`. `data.kind` names the kind of question.
  | 'INVALID_HOOK' // agents: A hook was registered incorrectly or returned an invalid value. → Correct the hook as the message describes.
  | 'INVALID_MESSAGE' // agents: A message is malformed. → Correct every fault listed in the error.
  | 'INVALID_REPLY' // agents: A reply function returned something other than a reply. → Return `undefined`, `{ reply }` or `{ reply: null }`.
  | 'INVALID_STATE' // agents: A saved state does not fit the team or agent that loads it. → Load the state with the team or agent that saved it.
  | 'INVALID_TASK' // agents: A task is not a string, a message, or a list of messages. → Pass a string, a message or a list of messages.
  | 'INVALID_TOKEN_COUNT' // agents: `countTokens` did not return a finite number that is at least 0. → Correct the function.
  | 'INVALID_TOOL' // agents: A tool has a name that models do not accept. → Use only letters, digits, `_` and `-`.
  | 'INVALID_TRIGGER' // agents: A reply function's trigger has an invalid form or returned an invalid value. → Use a form listed in the message.
  | 'NOT_SUSPENDABLE' // agents: With `onQuestion: 'suspend'`, a question was asked in something that is not data: a nested conversation, or a reply function of your own. Nothing was run. → Run it without `onQuestion: 'suspend'`, and answer the question with `ask`.
  | 'LEDGER_NOT_SHARED' // agents: A run with `onQuestion: 'suspend'` has an agent whose decisions are recorded in memory, so no other process could know whether its program has run. Nothing was run. → Give the agent named in the message the option `ledger`, such as `fileLedger(path)`.
  | 'LEDGER_UNAVAILABLE' // core: A ledger could not be read or written, or contains a damaged record. The action did not start. → Repair the ledger (the message gives the reason), then ask again.
  | 'OUTPUT_CLOSED' // agents: The stream that shows a conversation was closed, so the conversation was stopped. → Keep the reader open.
  | 'SCRIPT_ENDED' // agents: A scripted model received more requests than the script has answers for. → Add an answer.
  | 'SEVERAL_PARTNERS' // agents: An agent is in conversations with several agents, and the call does not say which one it means. → Name the agent.
  | 'TEAM_IS_RUNNING' // agents: A team received a second task while it was still working. → Wait, cancel the run, or create a second team.
  | 'UNKNOWN_APPROVAL' // core: No question with this id is waiting because it was answered or withdrawn, or the ledger has no record of the request. → List the waiting questions with `pending`. If a ledger has no record, use the ledger that recorded the request, or ask again.
  | 'UNKNOWN_PARTNER' // agents: The agent has had no conversation with the agent that the call names. → Name a different agent.
  | 'UNKNOWN_REPLY_FUNCTION' // agents: The reply function to replace is not registered. → Register it, or name a different function.
  // Models
  | 'MODELS_NEEDED' // agents: A config names a model, but `models` was not passed. → Pass a `models` function to `loadComponent` that returns the model.
  | 'MODEL_FAILED' // agents: None of the models answered. → Check each model's error in the message and in `cause`.
  | 'MODEL_GAVE_NO_OBJECT' // agents: A model did not answer in the required format. → Try again, or use a different model.
  | 'MODEL_REFUSED' // agents: The provider's content filter stopped the answer. → Rephrase the task, or use a different model.
  | 'UNKNOWN_MODEL' // agents: `models` returned no model for an id. → Return an AI SDK language model for that id.
  // The page
  | 'CONVERSATIONS_DAMAGED' // web: The conversation database in `directory` is damaged. The message names the file. The conversations' other files still exist. → Restore the file from a backup, or move it away.
  | 'CONVERSATIONS_OF_ANOTHER_VERSION' // web: The conversations in `directory` were written by a different version of `@fenced/web`. Nothing was changed. → Set a different `directory`, or use that version.
  | 'CONVERSATION_NOT_SAVED' // web: The conversation log could not be written, for example because the disk is full. The turn has ended, but the server and other conversations keep running. → Free space on the disk that holds `directory`, or check the directory's permissions. Then continue the conversation.
  | 'DIRECTORY_IN_USE' // web: Another server is using `directory`. → Stop that server, or set a different `directory`.
  | 'PAGE_NOT_BUILT' // web: The package does not contain the built page. → In the repository, run `pnpm build`. Otherwise reinstall `@fenced/web`.
  // Sandbox sessions of the AI SDK
  | 'SANDBOX_COMMAND_FAILED' // ai-sdk: A session's command has no exit code because it did not start or its outcome is unknown. → Read the reason in the message.
  | 'SANDBOX_FILE_FAILED' // ai-sdk: A file in the sandbox could not be read or written. → Read the reason in the message.
  | 'SANDBOX_INVALID_ARGUMENT' // ai-sdk: A call passed an argument that the session does not accept. → Correct it as the message describes.
  | 'SANDBOX_MISSING' // ai-sdk: The executor has no sandbox in which a session could run commands. → Use an executor from `@fenced/executor-local`, `-docker` or `-kubernetes`, or pass a sandbox.
  | 'SANDBOX_NOT_A_DIRECTORY' // ai-sdk: The path is not a directory. → Pass the path of a directory.
  | 'SANDBOX_NOT_A_FILE' // ai-sdk: The path is a directory or a special file. → Pass the path of a regular file.

/**
 * Every code that a `Notice` from Fenced's packages can have, in addition to the error codes. For each code,
 * `docs/errors.md` says what happened and what to do.
 */
export type NoticeCode =
  // How a block ended
  | 'cancelled' // core: The caller stopped the block. → No action needed.
  | 'denied' // agents, core: A person or a policy refused to run the code. → No action needed. The code was not run.
  | 'died' // core, sandbox, executor-docker, executor-jupyter: The block's container, kernel or process ended unexpectedly, so the block's result is unknown. → Run the block again after `restart()`, or follow the message.
  | 'edited' // agents: A person changed the code before it ran. → No action needed. The message shows the changes.
  | 'disk-limit' // core: The program reached the limit of its disk space and failed. `data.limit` is the limit in bytes. → Raise `diskBytes`, or have the code write less.
  | 'end-not-recorded' // core: The program ended, but the ledger could not record its end, so the decision counts as `unknown`. The result is complete. → Repair the ledger. `data.reason` gives the reason.
  | 'ended-by-signal' // core: A signal ended the program. The exit code is 128 plus the signal number. → No action needed. The message names the signal.
  | 'html-entities' // core: A program with a syntax error contains an HTML entity such as `&amp;`. → Write the characters instead of the entities.
  | 'input-denied' // core: The program asked for a line of input but got no answer, so it reached the end of its input. → Read the reason in the message.
  | 'invalid' // core, agents: Code was passed that cannot be run, so nothing was run. → Read the reason in the message.
  | 'module-not-saved' // core: A program imports a module that another block in the same answer contains, but that block was not saved under the module's name. No package is suggested or installed. → Write `# filename: NAME.py` on the first line of that block.
  | 'name-of-earlier-block' // core: A program uses a name that only an earlier block defines. Each block runs as a new program. → Define the name in this block, too, or save data in a file.
  | 'notebook-command' // core: A Python program that runs as a file contains a line such as `!pip install x` or `%matplotlib inline`. → Put shell commands in a separate shell block, and leave magics out.
  | 'out-of-memory' // executor-docker: The program reached the memory limit. → Raise `memoryBytes` (for a pod, `pod.resources.limits.memory`), or have the code use less memory.
  | 'output-limit' // core: The program wrote more than `maxOutputBytes`, and `outputLimitPolicy` stops programs that do. → Raise the limit, or print less.
  | 'process-out-of-memory' // core: Memory ran out, and a process in the sandbox was killed, such as a child of the program. The program itself was not killed. → Raise the limit (`data.limit`, if one was set), or have the code use less memory.
  | 'program-changed' // core: The program's file was changed, renamed or removed before the program ended, either by another process or by the program itself. Another program may have run instead. → Do not rely on the output. Stop other processes that write to the working directory, and run the program again.
  | 'timeout' // core: A time limit was reached. `data.option` names it: `timeoutMs` for the program, or `maxWaitMs` for its questions to people. → Raise that option, make the code faster, or answer sooner.
  | 'tools-unavailable' // sandbox, executor-jupyter: A block was given `tools`, but the Python or the kernel cannot forward calls. The block was not run. → Use CPython 3.8 or later on Linux outside gVisor, or a kernel with ipykernel 6 or later. Otherwise remove `tools`.
  | 'typescript-syntax' // core: A TypeScript program uses syntax that needs a compiler, such as `enum` or parameter properties. Node only removes types. → Use an object with `as const`, declared fields, or a module. Or add a row to `languages` with a command such as `npx tsx`.
  // Why a block was not run
  | 'data' // core: The block contains data (`json`, `text`) and names no file, so it was skipped. → No action needed.
  | 'file-name' // core: The first line of the block names a file that cannot be used. → Name a file inside the working directory.
  | 'no-interpreter' // sandbox, executor-docker: The sandbox has no interpreter for the block's language. → Install the interpreter, or choose a different image.
  | 'no-language' // core: The block names no language and does not look like a program, so it was skipped. → Write the language after the opening fence.
  | 'not-run' // core, agents: The block is a document or data, but this executor has no working directory to save it in. Agents also use this code for an answer in which no block can be run. → Use one of the languages listed in the message.
  | 'not-started' // host, sandbox: An interpreter, a program or the sandbox could not be started, so the block was not run. → Read the reason in the message.
  | 'unclosed' // core: The block has no closing fence, or it contains a fence that may have been meant as its end. Part of the block may be missing. → Send the whole block again. Put a Markdown document in a longer fence.
  | 'unknown-language' // core: Fenced does not know the block's language, so the block was skipped. A call with no other block to run is `invalid`. → Use one of the languages listed in the message, or add a row to `languages`.
  | 'unsupported-language' // core: Fenced knows the block's language, but this executor does not run it, so the block was skipped. A call with no other block to run is `invalid`. → Use one of the languages listed in the message.
  // What a result lacks
  | 'connections-left-out' // core: The program made more than 1,000 connections with the same verdict. The message gives their number and, for allowed connections, the hosts and bytes. → To see every connection, watch `sandbox.network`.
  | 'figures-not-shown' // sandbox: A program chose a Matplotlib backend that shows no figures, such as `Agg`, and called `show()` without saving the figures. Or a program showed more than 50 figures. → Remove the line that chooses the backend, or call `savefig()`.
  | 'files-left-out' // core: The block showed more pictures and documents than Fenced saves. → Show fewer, or write them to files.
  | 'files-not-copied' // executor-docker: Some files could not be copied into the container, or out of it. → No action needed. The message names the files and the reason.
  | 'files-not-listed' // core: The working directory has too many files to list all changes, or the code made links or other special files, which are not listed, or some files could not be listed because they have non-UTF-8 names, are more than 100 directories deep, or are in unreadable directories. → Use a smaller directory, or write regular files with other names.
  | 'left-behind' // host, sandbox: A process that the program started may still be running because it escaped or belongs to a different user. → Find it with `ps` and stop it. To prevent this, use an isolation level that ends all processes.
  | 'live-output-dropped' // core: Events arrived faster than they were read, or `shareReplay` is too small, so the events lack some of the output. → Read the result, which is complete.
  | 'notices-left-out' // core: The block had more notices with one code than Fenced keeps (100, or 256 KiB of text). → No action needed. Notices with other codes are complete.
  | 'output-dropped' // executor-jupyter: The kernel wrote faster than Fenced could read, or did not report the end of its output. → Print less. If the end is missing, call `restart()`.
  | 'output-dropped-by-server' // executor-jupyter: The Jupyter server's rate limit dropped some of the output. → Print less, or raise the server's limit.
  | 'result-not-saved' // core: A picture or document could not be written to the working directory. → Read the reason in the message.
  | 'results-left-out' // core: The block showed more rich results than Fenced keeps, or a result with too many MIME types. → Show fewer results.
  // What happened to the sandbox or kernel
  | 'checkpoint-dropped' // sandbox: A session has no checkpoint after a block, or a named checkpoint was dropped. `block` is the number of the block, and `reason` says why. → No action needed, unless `undo` must return to that state. Raise `checkpointBytes`, or the memory or process limit.
  | 'connection-restored' // executor-jupyter: The connection to the server was lost and then restored. → No action needed. Some of the output may be missing.
  | 'container-replaced' // executor-docker: A new container replaced the old one. → Restart programs and reinstall packages. Files in the working directory were kept.
  | 'interpreter-substituted' // core, executor-docker: The block ran with a different interpreter than its label names: `bash` for `zsh`, or `sh` for `bash` in an image without Bash. → Label the block `bash`, or use an image that has Bash.
  | 'kernel-step-off' // executor-jupyter: This version of ipykernel does not support some of the changes that Fenced makes to a Python kernel. `steps` lists them, and [Versions of ipykernel](../packages/executor-jupyter/README.md#versions-of-ipykernel) explains each one. → If you need these steps, use ipykernel 7.4, which was tested with all of them.
  | 'late-output' // executor-jupyter, sandbox: A thread, task or process from an earlier cell wrote output after that cell had ended. `cell` is the cell's number, and `output` is the beginning of the text. → No action needed, or stop threads and processes before the cell ends.
  | 'leftovers-remain' // sandbox, sandbox-docker, executor-docker: Containers or images from a process that has ended could not be removed yet, or the container of a block that did not stop does not respond, so its processes may still be running. → No action needed: the next start tries again. To remove containers yourself, run `docker rm --force`.
  | 'leftovers-removed' // sandbox-docker: Containers or images from a process that has ended were removed. → No action needed.
  | 'limits-unavailable' // sandbox-local: This machine cannot enforce the default limits on memory or processes, so the code runs without them. → Follow the message, set the options to `false`, or use a container.
  | 'network-lost' // sandbox: The helper for the network allowlist stopped, usually because a program killed it, and could not be restarted. The code has no network access. → Restart the executor.
  | 'network-refused' // core: The program tried to reach a host that is not on its sandbox's network allowlist. → If the code may reach the hosts named in the message, add them to `allowedHosts`.
  | 'no-network' // core: The code has no network access, and failed in a way that is typical of that. → If the code may use the network, turn on `network`. With the `fenced` command, pass `--network`.
  | 'not-warm' // sandbox: `warm` has no effect on this system or with this Python. → No action needed: every block starts an interpreter.
  | 'outside-work-dir' // core: An isolated program could not read or write a file outside its working directory. If that directory is temporary, this includes files with relative paths. → Put the file in the working directory, or set `workDir` (`--work-dir` for `fenced run` and `fenced mcp`) to the directory that contains the file.
  | 'preparation-not-kept' // sandbox-local: Fenced could not save the prepared files, so each start prepares them again. The message gives the directory and the reason. → Make the directory writable, or set `XDG_CACHE_HOME` to another directory.
  | 'restart-failed' // agents: An executor died and could not be restarted. → Read the reason in the message.
  | 'sandbox-replaced' // sandbox: A key of a `SandboxPool` has a new sandbox, so variables and running programs were lost. The message gives the reason and says whether files were kept. → Redefine the variables that the next block needs.
  | 'state-kept' // executor-jupyter, sandbox: A cell was interrupted, or its surroundings changed, but the kernel or session kept its variables. → No action needed.
  | 'state-lost' // executor-jupyter, sandbox, agents: The kernel, session or executor was replaced, so its variables are lost. → Redefine the variables that the next block needs.
  | 'state-reloaded' // sandbox: A session went back to an earlier state, and a new Python has its variables. `lost` names the variables that it could not take. → Define the lost variables again, and repeat settings of libraries.
  | 'state-restored' // sandbox: A session went back to an earlier state: variables and files are as after that block. The message names everything that was not undone. → No action needed.
  | 'still-running' // sandbox: A block of a Python session started processes that are still running. `commands` has their command lines. → Stop them if they are not needed. They end with the session.
  | 'weaker-isolation' // executor-docker, sandbox-local: `createOptions` weakens the container's isolation, or Fenced runs as root. When Fenced runs as root, programs in bubblewrap do too, so they can read root's files in the directories visible to them. → Remove the options named in the message. If Fenced runs as root, start it as another user, or install the package named in the message.
  | 'work-dir-not-writable' // executor-docker: Fenced runs as root, and programs in the container cannot write to the mounted working directory, because it belongs to root and contains files. → Change the owner of the directory, or set `user: 'root'`.
  | 'work-dir-recreated' // core: The working directory had been removed, so Fenced created an empty one. → No action needed. Files from earlier blocks are lost.
  // Images and packages
  | 'build' // sandbox-docker: An image build is in progress. → Wait.
  | 'credentials' // sandbox-docker: A stored registry login could not be used, so no login was sent. → If the image is private, log in again.
  | 'install' // sandbox-docker, python-env: An installation is in progress. → Wait.
  | 'install-denied' // core: A missing package was not installed because the installation was not approved. → Ask the approver, or write the program without the package.
  | 'install-failed' // core: A missing package could not be installed. → Read the reason in the message.
  | 'missing-package' // core: A Python module is missing. → Verify the package name, which may be a guess, then install the package. The message and `data` give the name and, where known, the command.
  | 'package-installed' // core: A missing package was installed. → If the message says that the block did not run, run it again.
  | 'pull' // sandbox-docker: An image pull is in progress. → Wait.
  | 'waiting' // python-env, sandbox-local: Another process is creating or changing the virtual environment or the prepared files. → Wait. The message names the lock file. If the process that holds it has ended on this machine, Fenced removes the lock at once. It removes any other lock that has not been touched for a minute.
  // Agents
  | 'answer-cut' // agents: A model's answer reached its token limit, so Fenced asked the model once to continue. → Raise `modelOptions.maxOutputTokens`, or ask for less.
  | 'failure-repeated' // agents: The same program or the same failure occurred again, so Fenced did not retry. → No action needed.
  | 'messages-left-out' // agents: A conversation is longer than its model may read, so messages are left out of the requests. It is reported once per conversation. → Raise `maxInputTokens`, or set `modelContext`.
  | 'model-failed' // agents: No model answered in the middle of a task. → Read the reason in the message.
  | 'program-repeated' // agents: The same program succeeded with the same output at least three times in a row. The fifth time ends the conversation. → No action needed. The model receives the notice.
  | 'retries-used-up' // agents: All retries have been used. → Raise `maxRetriesOnError`.
  | 'retry-declined' // agents: The model decided not to retry again. → No action needed.
  | 'retry-time-over' // agents: The time limit for retries has passed. → Raise `retryTimeoutMs`.
  | 'retry-tokens-used-up' // agents: The token limit for retries has been reached. → Raise `retryTokenLimit`.
  | 'retry-undecided' // agents: The model could not decide whether to retry. → Read the reason in the message.

/** A code from an executor, sandbox or tool that is not part of Fenced. Editors still complete the known codes. */
export type ForeignCode = string & {}
