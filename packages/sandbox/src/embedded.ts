// Texts of programs that run elsewhere. The build replaces this module by the values of its exports.
import { readFileSync } from 'node:fs'

function text(path: string): string {
  return readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
}

/** The sources of the resident Python's program, in the order in which they run. */
const runnerSources = [
  'host',
  'program',
  'gate',
  'serve',
  'shared',
  'changes',
  'preload',
  'visible',
  'end',
  'absent',
  'watch',
  'become',
  'launch',
  'main',
]
/** The sources of a session, in the order in which they run. */
const sessionSources = [
  'branch',
  'line',
  'input',
  'magics',
  'pretty',
  'figures',
  'display',
  'ipython',
  'cell',
  'tools',
  'written',
  'forks',
  'copies',
  'state',
  'threads',
  'repairs',
  'by_value',
  'reload',
  'carried',
  'variables',
  'contents',
  'store',
  'restore',
  'running',
  'processes',
  'memory',
  'checkpoints',
  'going_back',
  'protocol',
  'serve',
]
/** Source `n`, counted from 0, begins after this many lines for each source before it: line 4042 of a traceback is line 42 of `shared.py`. */
const linesPerSource = 1_000

/** Joins the sources to one text with one namespace, which leaves no entry in `sys.modules`. */
function joined(sources: readonly string[]): string {
  const padded = sources.map((source) => source + '\n'.repeat(linesPerSource + 1 - source.split('\n').length))
  return padded.join('')
}

/** The Matplotlib backend that saves figures. */
export const figuresBackend = text('python/figures.py')
/** The program of the resident Python. */
export const runner = joined(runnerSources.map((name) => text(`python/runner/${name}.py`)))
/** What makes a resident Python the keeper of a session. */
export const session = joined(sessionSources.map((name) => text(`python/session/${name}.py`)))
/** The beginning of the Python module `tools`. */
export const pythonTools = text('python/tools.py')
/** Prints what changes in a directory. */
export const fileWatch = text('python/file_watch.py')
/** Starts a program of Node that calls tools. */
export const nodeRelay = text('node/relay.cjs')
/** Gives a program of Node the module `tools`. */
export const nodePreload = text('node/preload.mjs')
/** The programs of a network by list that run in a sandbox, for a sandbox with Python and one with Node. */
export const networkPrograms = {
  python: { helper: text('python/network.py'), test: text('python/network_test.py') },
  node: { helper: text('node/network.cjs'), test: text('node/network-test.cjs') },
}
/** Runs a command in a new terminal. */
export const terminalProgram = text('python/terminal.py')
/** Relays a connection to a port of the sandbox, for a sandbox with Python and one with Node. */
export const connectionPrograms = { python: text('python/connection.py'), node: text('node/connection.cjs') }
