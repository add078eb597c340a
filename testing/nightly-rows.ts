/** Of the tests of some files, those that only the nightly run has. */
interface NightlyRow {
  /** Globs of paths from the root of the repository. */
  readonly files: readonly string[]
  /** Pattern for full names of tests, as in `levels.ts`. @default all tests of the files */
  readonly names?: RegExp
}

/** What an earlier level shows once: here come the other sandboxes, engines, servers, languages and amounts. */
export const nightlyRows: readonly NightlyRow[] = [
  // A contract that another subject passes as a whole: here its results alone.
  {
    files: [
      'packages/executor-{docker,local}/test/contract-*',
      'packages/executor-jupyter/test/contract-[js]*',
      'packages/executor-kubernetes/test/contract-warm.test.ts',
      'packages/host/test/example/*-executor.test.ts',
      'packages/sandbox-local/test/executor.test.ts',
      'apps/demo/test/approved-executor.test.ts',
    ],
    names: /: (?:thirteen faults.*|life cycle|events|cancelling and waiting|output|files) > /,
  },
  { files: ['examples/ssh-backend/ssh-executor.test.ts'] },
  // A further language.
  {
    files: ['packages/executor-{docker,local,kubernetes}/test/contract.test.ts'],
    names: /thirteen faults \((?:sh|javascript)\)/,
  },
  // A suite on a further engine, or on the same in another way.
  {
    files: [
      'packages/executor-docker/test/{backend,host-tools,network-list.attack,sandbox,secrets.attack}.test.ts',
    ],
    names: /(?:podman|remote|gVisor|copied files).*: /,
  },
  // The contract of a sandbox runs processes by this backend, too.
  { files: ['packages/executor-docker/test/backend.test.ts'], names: /docker: processes > / },
  { files: ['packages/executor-docker/test/directory-copy-*'] },
  {
    files: ['packages/executor-docker/test/installer.attack.test.ts'],
    names: /on (?:podman|docker, remote)/,
  },
  { files: ['packages/executor-docker/test/contract-{copy,remote}.test.ts'] },
  {
    files: ['packages/executor-jupyter/test/contract-sandbox.test.ts'],
    names: /with a server in bubblewrap/,
  },
  { files: ['packages/executor-docker/test/missing-packages.test.ts'], names: /its files stay \(copy\)/ },
  { files: ['packages/executor-docker/test/disk-full.test.ts'], names: /without room: copy/ },
  { files: ['packages/executor-docker/test/{forward-port,preparation}.test.ts'], names: /of Podman > / },
  {
    files: ['packages/executor-docker/test/image-build.test.ts'],
    names:
      /on an engine (?:Podman|behind ssh)|with BuildKit > (?!gives an image)|larger than what fits|classic builder (?:> )?(?:needs no name|leaves out)|the ignore file of|behind TLS/,
  },
  // An image without a shell but BusyBox: the two ends that take most of what it lacks stay.
  {
    files: ['packages/executor-docker/test/stopping.test.ts'],
    names: /busybox > (?!.*(?:a tree of processes|cleared its environment))/,
  },
  {
    files: ['packages/executor-docker/test/figures.test.ts'],
    names: /(?:bind, warm: true|copy, warm: false)$/,
  },
  {
    files: ['packages/executor-docker/test/life.test.ts'],
    names: /ends by a signal .*(?:SIGINT|is installed)$|blocks follow each other/,
  },
  // Tools of the host that answer well, in a further sandbox: what programs do against them is tried in each.
  {
    files: ['packages/executor-{docker,kubernetes}/test/host-tools.test.ts'],
    names: /: host tools > (?!a program passes values|programs in other languages)/,
  },
  {
    files: ['packages/executor-local/test/host-tools.test.ts'],
    names:
      /`warm: false`|in bubblewrap: host tools > (?!a program passes values|programs in other languages)|in bubblewrap: host tools of programs of Node/,
  },
  { files: ['packages/executor-kubernetes/test/secrets.attack.test.ts'], names: /: secrets/ },
  // How long a silent connection is waited for is tried without a cluster.
  {
    files: ['packages/executor-kubernetes/test/connection.test.ts'],
    names: /that falls silent|that restarts/,
  },
  // Ending a pod takes seconds, and so does the search for a missing image.
  {
    files: ['packages/executor-kubernetes/test/contract.test.ts'],
    names: /: (?:events|output|files|life cycle) > (?!start\(\) is shared|after stop\(\))/,
  },
  {
    files: ['packages/executor-kubernetes/test/detached.test.ts'],
    names: /ended by exit|with other options/,
  },
  { files: ['packages/executor-kubernetes/test/access.test.ts'], names: /nothing that is not needed/ },
  { files: ['packages/executor-kubernetes/test/network.test.ts'], names: /what an image has to try it/ },
  {
    files: ['packages/executor-kubernetes/test/claim.test.ts'],
    names: /that a killed process left|with the roles of the page|at its `shutdownTime`|is resumed by its id/,
  },
  {
    files: ['packages/executor-kubernetes/test/faults.test.ts'],
    names: /an image that is nowhere|between blocks/,
  },
  // The AI SDK above a sandbox that the sandbox's own tests try.
  { files: ['packages/ai-sdk/test/session/file-methods.test.ts'], names: /^bubblewrap > / },
  {
    files: ['packages/ai-sdk/test/{executor-session,session}/*'],
    names: /copied directory|^a container|BusyBox only|^docker/,
  },
  {
    files: [
      'packages/ai-sdk/test/provider/{identity,sandbox-provider}.test.ts',
      'packages/ai-sdk/test/harness/*.test.ts',
    ],
    names: /in bubblewrap|in a container .* of a harness/,
  },
  {
    files: ['packages/sandbox/test/process-files.test.ts'],
    names: /busybox|a hundred thousand names/,
  },
  // Users of containers: in another directory, and as the options have it.
  {
    files: ['packages/executor-docker/test/root-host.attack.test.ts'],
    names: /is root where the options|that is missing|says so: bind/,
  },
  // Kernels: of a server, in bubblewrap, not forked.
  {
    files: ['packages/executor-jupyter/test/docker-server-unconnected.test.ts'],
    names: /^(?!.*runs cells that reach nothing)/,
  },
  {
    files: ['packages/executor-jupyter/test/sandbox-server.test.ts'],
    names:
      /^a server in a container.* > (?!has kernels that reach nothing)|^a server in bubblewrap.* > (?!shows its token|goes with)|^a server in a sandbox.* > (?:notices|interrupts|takes)|on this machine (?:> )?(?:begins where|stop\(\) leaves|goes with its sandbox)|in bubblewrap > goes with|that forgot it|that is killed is an error/,
  },
  { files: ['packages/executor-jupyter/test/{host-tools,leaks,stopping}.test.ts'], names: /of a server/ },
  {
    files: ['packages/executor-jupyter/test/{input,results,state}.test.ts'],
    names: /^a kernel of our own in bubblewrap/,
  },
  {
    files: ['packages/executor-jupyter/test/stopping.test.ts'],
    names: /in bubblewrap > (?!a time limit|a cell that does not want to end|what a cell leaves)/,
  },
  {
    files: ['packages/executor-jupyter/test/leaks.test.ts'],
    names: /that is not forked|(?:but what it writes|while a cell runs): server$/,
  },
  {
    files: ['packages/executor-jupyter/test/connection.test.ts'],
    names:
      /how the prefix is written: (?!\/\/)|whose kernel speaks another language|may speak another language/,
  },
  // A kernel of another language takes seconds to start: one is run, and one is refused.
  {
    files: ['packages/executor-jupyter/test/flood.test.ts'],
    names: /^a kernel of our own in bubblewrap|server: keeps its state|of a server > /,
  },
  { files: ['packages/executor-jupyter/test/many-displays.test.ts'], names: /on a busy machine/ },
  {
    files: ['packages/executor-jupyter/test/figures.test.ts'],
    names: /of a server > |chooses Agg .*(?:rcParams|switch_backend)|of a backend that shows none/,
  },
  {
    files: ['packages/executor-jupyter/test/shadowed-modules.test.ts'],
    names: /in bubblewrap|does not reach a (?:fork|server)/,
  },
  {
    files: ['packages/executor-jupyter/test/docker-server.test.ts'],
    names: /a kernel of its own|finds its image again|stop\(\) leaves no container|shares a directory/,
  },
  // Python: the same with the other installer, or another start.
  {
    files: ['packages/python-env/test/venv.test.ts'],
    names:
      /with uv > (?:takes requirements|is used again)|with pip > has the version|with pip > is used again|with uv > (?:is made once|comes up for|may have spaces|gets what it lacks|names a|uses the Python)|requirements as lines|has the version that is asked|adds packages later|is completed again/,
  },
  {
    files: ['packages/executor-local/test/figures.test.ts'],
    names:
      /(?:an interpreter of its own|has it imported) > .*: (?!shown$)|of a fork .*: (?:left open|shown by itself|in another directory)|from a program whose first line|starts elsewhere|of a block that fails/,
  },
  { files: ['packages/executor-local/test/warm/other-languages.test.ts'], names: /> in bubblewrap/ },
  { files: ['packages/python-env/test/{docker-images,tool-docker}.test.ts'] },
  // The engine itself waits five seconds before it tries again, and a page as long for an executor's answer.
  {
    files: ['packages/executor-docker/test/image-pull.test.ts'],
    names: /although the connection breaks once/,
  },
  {
    files: ['packages/web/test/http.test.ts'],
    names: /and does not wait for ever|sixteen executors|fifty readers/,
  },
  // Servers that do not answer, after the times that they are waited for.
  {
    files: ['packages/executor-jupyter/test/{hanging,open-connection,refused}.test.ts'],
    names: /a server that is frozen|whose connection never comes|does not hear http/,
  },
  // A client of MCP that speaks the older revision, and further clients of the README.
  {
    files: ['packages/cli/test/mcp.test.ts'],
    names:
      /of 2025 > (?!runs code)|lets (?:VS Code|Cursor.*|Codex) start|a large directory|of a program that left many|tells progress with hidden|isolation makes fail|in a container has the packages|2026 > (?:keeps files from|stops what runs)|with a short token/,
  },
  // The demo in a kernel.
  {
    files: ['apps/demo/test/demo.test.ts'],
    names:
      /runs in a kernel|SIGTERM|a text goes to the model|SIGINT stops|where no isolation works|its reader leaves/,
  },
  // Further keys, terminals and modules of the command.
  {
    files: ['packages/cli/test/chat-at-terminal.test.ts'],
    names:
      /40 columns|at once|with --yes|shows a picture|Ctrl-C twice|Ctrl-C at a question|while the model writes/,
  },
  {
    files: ['packages/cli/test/executor-module.test.ts'],
    names: /named-class|function|(?:nothing|two|other|mistyped)\.mjs/,
  },
  // What `packages/python-env` tries, through two more doors.
  {
    files: ['apps/demo/test/web.test.ts'],
    names: /installs the packages|in its events/,
  },
  {
    files: ['examples/agents/examples.test.ts'],
    names: /(?:packages|agent-as-tool|picture|team)\.ts$|(?:own-tools|approved-code)\.ts$/,
  },
  // `test:installed` runs the same examples, with what is published.
  { files: ['apps/demo/test/readmes.test.ts'] },
  {
    files: ['tests/pages.test.ts'],
    names:
      / > (?:from-|fenced-python-env|environments|approvers|streaming|deploying|testing|network|host-tools|sandboxes|observing|web-page|models|ledger|mcp|where-it-runs|configurations|ports|fenced-web)|in a kernel .* > approval/,
  },
  // Compares the pictures of the documentation with the page.
  { files: ['packages/web/test/pictures.test.ts'] },
  // What a user installs, with other versions of Node and of the AI SDK.
  { files: ['tests/installed/{ai-versions,examples,pi-harness,together}.test.ts'] },
  // Installed alone, packages without a further door do what their first example does, which runs.
  {
    files: ['tests/installed/doors.test.ts'],
    names: /executor-(?:local|docker|kubernetes|jupyter) with|core with npm/,
  },
  // A release after the rehearsed one, and the types of each package as every compiler resolves them.
  {
    files: ['tests/installed/release.test.ts'],
    names: /publishes nothing twice|is followed by one|can be installed/,
  },
  { files: ['tests/installed/types.test.ts'] },
  // The inspector of MCP is 150 MB.
  { files: ['tests/installed/mcp-inspector.test.ts'] },
  {
    files: ['tests/installed/where-it-runs.test.ts'],
    names: /^(?!.*in the place (?:Node 22\.18|Worker thread|Cluster|node:test|Without HOME)$)/,
  },
  { files: ['tests/installed/{budgets,pack-all}.test.ts'] },
  // The packages that people begin with; the check `package` reads what each of the others contains.
  {
    files: ['tests/installed/first-example.test.ts'],
    names: /compiles$|runs on Node (?:22|26)|> of (?!(?:agents|ai-sdk|cli|core|executor-local|web),)/,
  },
  // Amounts, many versions, and machines in trouble.
  {
    files: [
      'packages/executor-docker/test/{many,warm-faults,daemon-killed}.test.ts',
      'packages/executor-jupyter/test/{load,long-message,reconnect,storm}.test.ts',
      'packages/python-env/test/{docker-faults,venv-disk,venv-faults}.test.ts',
    ],
  },
  {
    files: ['packages/executor-docker/test/directory-copy.test.ts'],
    names: /megabytes|\d files$|terabyte|whatever is done|have the name (?!"-rf"|"été)/,
  },
  {
    files: ['packages/executor-docker/test/engine-faults.test.ts'],
    names:
      /one after the other|nonsense for an answer|breaks (?:around|during)|that is slow|small pieces|all the same: copy|stop\(\) gives up/,
  },
  {
    files: ['packages/executor-local/test/warm/warm-and-cold.test.ts'],
    names:
      /, with buffered streams > |in bubblewrap > (?:failures|identity|standardLibrary|regression) > |in bubblewrap > (?:shutdown|streamPrograms) > /,
  },
  { files: ['packages/executor-local/test/pipe-readers.test.ts'], names: /bubblewrap.*named pipe/ },
  {
    files: ['packages/executor-local/test/warm/short-end.test.ts'],
    names: /needs each of its checks|does so with the libraries/,
  },
  {
    files: ['packages/executor-local/test/warm/changed-user.attack.test.ts'],
    names: /until the executor is restarted/,
  },
  { files: ['packages/sandbox/test/network/guesses.attack.test.ts'], names: /10,000 guesses/ },
  {
    files: [
      'packages/executor-local/test/warm/ends.test.ts',
      'packages/executor-local/test/programs-without-file.test.ts',
    ],
    names: /every Python/,
  },
  {
    files: ['packages/sandbox/test/network/request-smuggling.attack.test.ts'],
    names: /thousands of times/,
  },
  {
    files: ['packages/contract/test/broken-backends.test.ts'],
    names:
      /only the variables|leaves stdin open|does not let go|reads ahead|one directory for all|one name or number only|room for a hundred|a program that is not there is|swallows what|a name to a shell|end of an archive although|one line of the arguments|directory before|the same mode|when it is removed again|without a code/,
  },
  // Comfort of the page, as far as the tests of its parts show it without a browser.
  {
    files: ['packages/web/test/browser.test.ts'],
    names:
      /highlights a program while|the same in two tabs|remembers an answer|how packages of a conversation|branches at an earlier|violations of axe, dark|fits a phone|scrolls through 100,000 lines|denies with a reason|runs what was edited|an answer such as 502|which option gives|a document without a model|runs a program again|names what a program can call|draws the newest|stops a program, and the model|stays usable while/,
  },
  // Kubernetes: the contract of a sandbox runs processes by this backend, too.
  { files: ['packages/executor-kubernetes/test/backend.test.ts'], names: /: (?:processes|archives) > / },
  {
    files: ['packages/executor-kubernetes/test/{contract,sandbox}.test.ts'],
    names: /3 GB of memory|sleeps for hours|many processes run beside/,
  },
  {
    files: ['packages/executor-jupyter/test/contract-direct.test.ts'],
    names:
      /3 GB of memory|: output > (?!values named)|: cancelling and waiting > (?!a signal ends)|a reader that does not read on/,
  },
  // What one engine shows, on three at once; names of every kind, in a container.
  {
    files: ['packages/executor-docker/test/known-facts.test.ts'],
    names: /is asked of (?!one of another image|one for another user)/,
  },
  {
    files: ['packages/executor-docker/test/image-packages.test.ts'],
    names: /^packages (?:> )?(?!are there|are installed once|cannot be fetched)/,
  },
  // Servers of Jupyter: what one of our own shows, in a container and a sandbox.
  {
    files: ['packages/executor-jupyter/test/local-server.test.ts'],
    names: /is started once by ten|takes another port|made of a config|the first one cancels/,
  },
  {
    files: ['packages/executor-jupyter/test/behind-our-back.test.ts'],
    names: /while it is idle|nothing was heard/,
  },
  { files: ['packages/executor-jupyter/test/reference-client.test.ts'] },
  // The AI SDK above sandboxes; the sandbox's own tests cover this machine.
  { files: ['packages/ai-sdk/test/faults/*'] },
  { files: ['packages/ai-sdk/test/session/processes.test.ts'], names: /20 calls at the same time/ },
  { files: ['packages/ai-sdk/test/provider/identity.test.ts'], names: /that has no name|of a harness/ },
  // Amounts.
  { files: ['packages/sandbox-local/test/contract.test.ts'], names: /many processes run beside/ },
  { files: ['packages/core/test/work-directory/remove-tree.attack.test.ts'], names: /a great number/ },
  // Further programs of one kind.
  { files: ['packages/executor-local/test/late-host.test.ts'], names: /was busy/ },
  { files: ['packages/cli/test/notebook.test.ts'], names: /^(?!.*(?:writes outputs as|when it is stopped))/ },
  {
    files: ['packages/cli/test/doctor.test.ts'],
    names: /narrow terminal|lists the paths in|what bubblewrap hides|no pod unasked|has colors/,
  },
  {
    files: ['packages/terminal/test/terminal/terminal-human-input.test.ts'],
    names:
      /a marked paste|may be long|in two pieces|last line has not ended|from another system|knows no sequences|behind text/,
  },
  // The Python of an environment: the tool and its parts are tried one by one.
  {
    files: ['packages/python-env/test/docker.test.ts'],
    names: /^(?!.*(?:has its packages|really shared|has no network|engine))/,
  },
  {
    files: ['packages/python-env/test/{missing-packages,system}.test.ts'],
    names: /one.s own(?:$| works)/,
  },
  { files: ['packages/executor-local/test/pip.test.ts'] },
  // Its backend is run by the examples' test; each part of the contract by the backends of the packages.
  {
    files: ['examples/ssh-backend/ssh-backend.test.ts', 'examples/{text,namespace}-backend/*.test.ts'],
    names: /: (?:processes|archives) > /,
  },
  // What the tests of the packages try, as an example.
  {
    files: ['examples/ai-sdk/examples.test.ts'],
    names:
      /it says > (?:show-a-picture|kept-session|code-mode|run-while-it-writes|web-response|sandbox-session|call-tools|stream-text|ask-a-person\.ts, who says y)|install: web-response/,
  },
  // Options that the command refuses: the functions that read them are tried one by one, and five here.
  {
    files: ['packages/cli/test/run.test.ts'],
    names:
      /refuses \["(?:walk"|run","-","(?:--executor","local|--port|--work-dir))|lets a browser open a port|prints nothing else|keeps files where|ends with its reader|refuses \["run","\/not|--executor jupyter runs|prints each connection/,
  },
  // A host that is killed: a block with limits and a fork that waits stay.
  {
    files: ['packages/sandbox-local/test/killed-host.test.ts'],
    names: /a process with(?:out)? limits|a block without limits|sent its parent/,
  },
  // Amounts again, where the time or the memory for a small one is a matter of milliseconds.
  {
    files: ['packages/terminal/test/show-run/answers.test.ts'],
    names: /in time in proportion/,
  },
  { files: ['packages/agents/test/conversation/many-partners.test.ts'] },
  {
    files: ['packages/core/test/work-directory/list-files.test.ts'],
    names: /too many entries in many|made of thousands/,
  },
  // Further variants of what a representative shows at each commit.
  {
    files: ['packages/executor-jupyter/test/host-tools.test.ts'],
    names: /the clock of the program|a thousand calls/,
  },
  {
    files: ['packages/executor-jupyter/test/jupyterlab.test.ts'],
    names: /ignores interrupts|code of 5 MB/,
  },
  {
    files: ['packages/cli/test/hidden-characters.test.ts'],
    names: /why a file name is refused|stay in code that goes/,
  },
  { files: ['packages/python-env/test/warm.test.ts'], names: /an environment in Docker/ },
  {
    files: ['packages/executor-docker/test/detached.test.ts'],
    names: /does not expire while|ended by (?:SIGTERM|exit)/,
  },
  {
    files: ['packages/executor-docker/test/warm.test.ts'],
    names:
      /an idle container ends itself|has modules imported at the start|installs for its user|beside other languages/,
  },
  {
    files: ['packages/executor-local/test/leftovers.test.ts'],
    names: /leaves by (?:SIGTERM|throw|exit)|bubblewrap, cold$/,
  },
  {
    files: ['packages/executor-local/test/warm/warm-in-bubblewrap.test.ts'],
    names: /sends its parent (?:SIGTERM|SIGSTOP)|leaves in an attribute|a shell was out of memory/,
  },
  // Many requests of the kinds that 250 show.
  {
    files: ['packages/{cli,web}/test/**/{serve-http,hostile-requests}.test.ts'],
    names: /ten thousand/,
  },
  { files: ['packages/cli/test/choose-executor.test.ts'], names: /named by an interpreter/ },
  // Other signals, other ways to listen, and two listeners.
  {
    files: ['tests/signals.test.ts'],
    names:
      / > SIG(?:INT|HUP) > |by (?:on|prependOnceListener) |after the start|of 2$|(?:docker|jupyter|pool) > SIGTERM > ends/,
  },
  {
    files: ['packages/sandbox-local/test/socket-families.attack.test.ts'],
    names: /a network list|no network > finds/,
  },
]
