// `pnpm pack:all NAME DIRECTORY` builds and packs a package of this workspace with the packages that it needs, and prints the
// command that installs them in DIRECTORY.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { argv, env, exit, stderr, stdout } from 'node:process'

interface Manifest {
  readonly name: string
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

const root = dirname(import.meta.dirname)
/** A relative directory counts from where the user called pnpm. */
const calledFrom = env.INIT_CWD ?? '.'

const [name, directory] = argv.slice(2)
const first = name?.replace(/^@fenced\//, '') ?? ''
if (first === '' || directory === undefined || !existsSync(join(root, 'packages', first, 'package.json'))) {
  stderr.write(
    'Usage: npx -y pnpm pack:all PACKAGE DIRECTORY, for example: npx -y pnpm pack:all executor-local ../app\n',
  )
  exit(2)
}

const project = resolve(calledFrom, directory)
const packed = join(project, 'fenced-packages')
mkdirSync(packed, { recursive: true })
const names = [...withNeeds(first)]
pnpm(['exec', 'turbo', 'run', 'build', ...names.map((each) => `--filter=@fenced/${each}`)])
for (const each of names) pnpm(['--dir', join('packages', each), 'pack', '--pack-destination', packed])
const fileOf = (each: string) => `./fenced-packages/fenced-${each}-${manifestOf(each).version}.tgz`
// npm takes a package from a file that is named beside it. pnpm and yarn look in the registry, unless it is overridden.
const overrides = names.map((each) => `"@fenced/${each}": "file:${fileOf(each)}"`)
stdout.write(`In ${project}, run:

npm install ${names.map(fileOf).join(' ')}

With pnpm, add to pnpm-workspace.yaml:

overrides:
  ${overrides.join('\n  ')}

and run:

pnpm add ${fileOf(first)}

With yarn, add to package.json:

"resolutions": {
  ${overrides.join(',\n  ')}
}

and run:

yarn add file:${fileOf(first)}
`)

/** Yields a package and, each once, the packages of this workspace that it needs. */
function* withNeeds(each: string, seen = new Set<string>()): Generator<string> {
  if (seen.has(each)) return
  seen.add(each)
  yield each
  const { dependencies, peerDependencies, peerDependenciesMeta = {} } = manifestOf(each)
  const peers = Object.keys(peerDependencies ?? {}).filter((peer) => !peerDependenciesMeta[peer]?.optional)
  for (const needed of [...Object.keys(dependencies ?? {}), ...peers]) {
    if (needed.startsWith('@fenced/')) yield* withNeeds(needed.slice('@fenced/'.length), seen)
  }
}

function manifestOf(each: string): Manifest {
  return JSON.parse(readFileSync(join(root, 'packages', each, 'package.json'), 'utf8'))
}

/** Its output goes to the standard error stream: the standard output has the command for the user. */
function pnpm(args: readonly string[]): void {
  execFileSync('npx', ['--yes', 'pnpm', ...args], { cwd: root, stdio: ['ignore', stderr.fd, stderr.fd] })
}
