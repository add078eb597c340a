import { matchesGlob } from 'node:path'
import { nightlyRows } from './nightly-rows.ts'

/**
 * How much a run tries. `test` is `pnpm test`: each behavior once, in the cheapest sandbox that shows it. `all` is `pnpm test:all`,
 * which every change has to pass: other sandboxes, engines, amounts. `nightly` is everything.
 */
export type Level = 'test' | 'all' | 'nightly'

const order: readonly Level[] = ['test', 'all', 'nightly']

/** Names the level of a run to its processes. */
export const levelVariable = 'FENCED_TEST_LEVEL'

export const currentLevel: Level = order.find((level) => level === process.env[levelVariable]) ?? 'test'

/** Why a test of a later level does not run. */
export const ofLaterLevel = {
  name: 'later-level',
  problem:
    'the same in other sandboxes, on engines and clusters, with servers, in browsers, and for large amounts',
}

/** Of the tests of some files, those that run from a level on. */
export interface Row {
  readonly from: Exclude<Level, 'test'>
  /** Globs of paths from the root of the repository. */
  readonly files: readonly string[]
  /** Pattern for full names of tests, joined by ` > `. @default all tests of the files */
  readonly names?: RegExp
}

/** Each kind that is not listed runs always. */
export const rows: readonly Row[] = [
  {
    from: 'all',
    files: [
      // What hostile code, files and servers try.
      '**/*.attack.test.ts',
      // Containers, clusters, servers of Jupyter, browsers.
      'packages/executor-docker/test/**',
      'packages/executor-kubernetes/test/**',
      'packages/executor-jupyter/test/{behind-our-back,connection,contract-[js]*,docker-*,flood,forked-*,hanging,missing-packages,removed-directory}.*',
      'packages/executor-jupyter/test/{jupyterlab,leaks,load,local-server,long-message,open-connection,reconnect,reference-client,refused,versions}.*',
      'packages/executor-jupyter/test/{figures,sandbox-server,shadowed-modules,stopping,storm,disk-full,host-tools,own-kernel,worker-thread}.*',
      'packages/python-env/test/{docker*,tool*,venv*,installer*,missing-packages,system,warm}.*',
      'packages/web/test/{browser,decision-cards,pictures}.*',
      'apps/demo/test/{web,approved-executor,dead-kernel}.*',
      // Real terminals, command lines and clients. Other tests cover the same behavior.
      'packages/agents/test/{model/openai-compatible,team/new-process}.*',
      'packages/terminal/test/terminal/{approval,readline-human-input,terminal-human-input}.*',
      'packages/ai-sdk/test/tools/{durable-approval,pictures}.*',
      'packages/cli/test/{chat*,completion,doctor,executor-module,hidden-characters,mcp,notebook,particular-options,web}.*',
      // Separate backends and suites, the worst inputs, and large trees of files.
      'packages/contract/test/{broken-backends,describe-backend}.*',
      'packages/core/test/work-directory/directory-tree.*',
      'packages/agents/test/{worst-inputs,conversation/many-partners}.*',
      'packages/ai-sdk/test/session/large-file.*',
      'packages/sandbox/test/supervise/{blocks,keeper,network,process-scripts}.*',
      'packages/sandbox/test/forward-port.*',
      'packages/sandbox-docker/test/engine/{cancelled-start,engine-client,removals-in-background,ssh,tls,while-answering}.*',
      'packages/python-env/test/run-installer.*',
      'packages/cli/test/stop-signals.*',
      'packages/core/test/host-tools/{python,typescript}-stubs.*',
      'packages/markdown/test/{commonmark-agreement,worst-inputs}.*',
      'packages/sandbox/test/{connect-inside,contract,network-helper,process-files}.*',
      'packages/host/test/{capture-output,descriptors,directory-lock}.*',
      'testing/reworded.test.ts',
      'tests/bench.test.ts',
      'tests/options/unknown-names.test.ts',
      // The same behavior in bubblewrap, through another door, or on a machine that is in trouble.
      'packages/executor-local/test/{contract-*,figures,late-host,leftovers,pip,slow-reader,threads}.*',
      'packages/executor-local/test/warm/{warm,warm-in-bubblewrap,imports,other-languages,shared}.*',
      'packages/sandbox-local/test/{executor,forward-port,killed-host,network*,preparation,etc*,not-started,systemd-scopes}.*',
      'packages/sandbox-local/test/secret*',
      'packages/host/test/example/*',
      'packages/ai-sdk/test/{faults,harness,provider}/**',
      'packages/ai-sdk/test/{executor-session/process,session/{file-methods,processes}}.*',
      'apps/demo/test/{demo,readmes}.*',
      'examples/*/*',
      'tests/pages.test.ts',
      'tests/realm/*',
    ],
  },
  {
    from: 'all',
    files: ['packages/executor-local/test/contract.test.ts'],
    names: /\((?:javascript|sh)\)|3 GB of memory/,
  },
  // A process for each point.
  { from: 'all', files: ['packages/executor-local/test/approved-once.test.ts'], names: /is killed/ },
  {
    from: 'all',
    files: ['packages/executor-local/test/host-tools.test.ts'],
    names: /in bubblewrap|`warm: false`|of programs of Node|hostile/,
  },
  {
    from: 'all',
    files: ['packages/executor-local/test/warm/warm-and-cold.test.ts'],
    names: /, (?:with buffered streams|in bubblewrap) > /,
  },
  {
    from: 'all',
    files: ['packages/executor-local/test/isolation.test.ts'],
    names: /forked|keeps no descriptor/,
  },
  {
    from: 'all',
    files: ['packages/executor-local/test/pipe-readers.test.ts'],
    names: /bubblewrap|warm: false/,
  },
  { from: 'all', files: ['packages/executor-local/test/warm/ends.test.ts'], names: /in bubblewrap too/ },
  { from: 'all', files: ['packages/ai-sdk/test/tools/tools.test.ts'], names: /openaiShell/ },
  {
    from: 'all',
    files: ['packages/executor-jupyter/test/*'],
    names: /of a server|with a (?:local )?server|of one server|SC-16/,
  },
  {
    from: 'all',
    files: ['packages/executor-jupyter/test/broken-text.test.ts'],
    names: /puts the characters together/,
  },
  // Matplotlib and pandas.
  {
    from: 'all',
    files: ['packages/executor-jupyter/test/results.test.ts'],
    names: /a (?:table|plot|picture|JPEG) /,
  },
  {
    from: 'all',
    files: ['packages/executor-jupyter/test/contract-direct.test.ts'],
    names: /: (?:thirteen faults|events|cancelling and waiting|output) > /,
  },
  { from: 'all', files: ['packages/sandbox/test/process-files.test.ts'], names: /busybox/ },
  {
    from: 'all',
    files: ['packages/sandbox-local/test/contract.test.ts'],
    names: /^isolated|many processes run beside/,
  },
  // Further options of the command, each a process or several.
  {
    from: 'all',
    files: ['packages/cli/test/run.test.ts'],
    names:
      /fenced run > (?:ends with its reader|prints nothing else|refuses |keeps files where|lets a browser open|stops a program in)|--network > (?:prints each|ends a program|asks in the terminal)|--ask > asks once where|fenced extract > (?:prints blocks as|ends with 1)|says what is wrong with/,
  },
  {
    from: 'all',
    files: ['tests/signals.test.ts'],
    names: /of the kind (?:bubblewrap|docker|jupyter|pool) |ends a host/,
  },
  {
    from: 'all',
    files: ['tests/deploying.test.ts'],
  },
  {
    from: 'all',
    files: ['packages/cli/test/choose-executor.test.ts'],
    names: /takes n for an answer|fails for its isolation|a port needs|a virtual environment/,
  },
  {
    from: 'all',
    files: ['packages/core/test/work-directory/list-files.test.ts'],
    names: /in many directories|too many entries$/,
  },
  { from: 'all', files: ['packages/executor-local/test/exact-bytes.test.ts'] },
  {
    from: 'all',
    files: ['packages/executor-local/test/unlisted-files.test.ts'],
    names: /is cut/,
  },
  {
    from: 'all',
    files: ['packages/ai-sdk/test/{executor-session,session}/*'],
    names: /bubblewrap|a container|on this machine/,
  },
  { from: 'all', files: ['packages/web/test/http.test.ts'], names: /^(?:conversations|the server) / },
  // Amounts, and further options of one kind.
  { from: 'all', files: ['packages/sandbox/test/supervise/no-rest.test.ts'] },
  {
    from: 'all',
    files: ['packages/sandbox/test/fork-server/warm.test.ts'],
    names: /changed it for good|ended between two blocks|another language/,
  },
  { from: 'all', files: ['packages/core/src/engine/output/redactor.test.ts'], names: /cost: bounded/ },
  { from: 'all', files: ['packages/ai-sdk/test/executor-session/files.test.ts'], names: /20 MB/ },
  { from: 'all', files: ['packages/terminal/test/terminal/shown-before-asked.test.ts'] },
  // The reporters of the tests.
  { from: 'all', files: ['testing/{skipped,projects}-reporter.test.ts'] },
  { from: 'all', files: ['packages/agents/test/conversation/long-conversation.test.ts'] },
  ...nightlyRows.map((row): Row => ({ from: 'nightly', ...row })),
]

/** The rows that leave tests of a file out of a run of a level. */
function rowsFor(file: string, level: Level): readonly Row[] {
  return rows.filter(
    ({ from, files }) => isAfter(from, level) && files.some((glob) => matchesGlob(file, glob)),
  )
}

/** Whether a test of a file, by its full name, runs at a later level only. */
export function isLeftOut(file: string, name: string, level: Level): boolean {
  return rowsFor(file, level).some(({ names }) => names?.test(name) ?? true)
}

/** Globs of the files of which no test runs at a level. */
export function filesLeftOut(level: Level): readonly string[] {
  return rows.flatMap(({ from, files, names }) => (names === undefined && isAfter(from, level) ? files : []))
}

function isAfter(one: Level, other: Level): boolean {
  return order.indexOf(one) > order.indexOf(other)
}
