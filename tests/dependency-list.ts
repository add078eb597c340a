import { existsSync, readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

// Lists the dependencies of all packages, as installed in this workspace. `--write` writes the list to `docs/dependencies.md`.

interface Manifest {
  readonly name: string
  readonly version: string
  readonly license?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

/** A package from the npm registry. */
interface Dependency {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly kilobytes: number
  /** Published packages that install it, by directory name. */
  readonly neededBy: Set<string>
}

const root = join(import.meta.dirname, '..')
const published = readdirSync(join(root, 'packages'))

/** The dependencies of all published packages, sorted by name and version. */
export function allDependencies(): readonly Dependency[] {
  const found = new Map<string, Dependency>()
  for (const name of published) {
    for (const path of installedWith(join(root, 'packages', name))) {
      const dependency = found.get(path) ?? read(path)
      dependency.neededBy.add(name)
      found.set(path, dependency)
    }
  }
  return [...found.values()].sort((left, right) => (key(left) < key(right) ? -1 : 1))
}

/** The names of packages, or the few that are not among them. */
function namesOf(neededBy: ReadonlySet<string>): string {
  const others = published.filter((name) => !neededBy.has(name))
  if (others.length === 0) return 'all'
  return others.length < 3 ? `all except ${others.join(', ')}` : [...neededBy].join(', ')
}

/** The text of `docs/dependencies.md`. */
export function dependenciesPage(): string {
  const all = allDependencies()
  const packageRows = published.map((name) => {
    const own = all.filter(({ neededBy }) => neededBy.has(name))
    const kilobytes = own.reduce((sum, dependency) => sum + dependency.kilobytes, 0)
    return `| \`@fenced/${name}\` | ${own.length} | ${kilobytes} |`
  })
  const rows = all.map(
    ({ name, version, license, kilobytes, neededBy }) =>
      `| \`${name}\` | ${version} | ${license} | ${kilobytes} | ${namesOf(neededBy)} |`,
  )
  return `# Dependencies

This page lists the direct and indirect dependencies that npm installs with each Fenced package, at the versions pinned in \`pnpm-lock.yaml\`. Peer
dependencies are included unless they are optional. \`node tests/dependency-list.ts --write\` generates the page, and a test compares it with the
installed packages. For size limits, see [Installed size](../contributing/installed-size.md).

Four packages also bundle parts of other packages: \`sandbox-docker\` bundles dockerode and \`host\` bundles cross-spawn and which, which npm does not
install separately. \`core\` bundles zod, which npm installs for its types. All three have the licenses in \`dist/licenses.txt\`. \`web\` bundles the libraries its page uses, with their licenses served at \`/licenses.md\`.

| package | dependencies | size in KB |
| --- | --- | --- |
${packageRows.join('\n')}

| dependency | version | license | size in KB | needed by |
| --- | --- | --- | --- | --- |
${rows.join('\n')}
`
}

/** Directories of the dependencies of a package, without packages of Fenced. */
function installedWith(directory: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(directory)) return seen
  seen.add(directory)
  for (const name of dependencyNames(manifestOf(directory))) {
    const path = resolve(name, directory)
    if (path !== undefined) installedWith(path, seen)
  }
  return new Set([...seen].filter((path) => path.includes('node_modules')))
}

function dependencyNames(manifest: Manifest): readonly string[] {
  const { dependencies, optionalDependencies, peerDependencies = {}, peerDependenciesMeta } = manifest
  const peers = Object.keys(peerDependencies).filter(
    (name) => peerDependenciesMeta?.[name]?.optional !== true,
  )
  return [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]
}

/** The directory of a dependency: below its dependent in the workspace, and beside its dependent in pnpm's store. */
function resolve(name: string, dependent: string): string | undefined {
  const beside = dependent.slice(0, dependent.lastIndexOf('node_modules') + 'node_modules'.length)
  const path = [join(dependent, 'node_modules', name), join(beside, name)].find((each) => existsSync(each))
  return path && realpathSync(path)
}

function read(directory: string): Dependency {
  const { name, version, license = 'unknown' } = manifestOf(directory)
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  const bytes = files.reduce((sum, file) => sum + statSync(join(file.parentPath, file.name)).size, 0)
  return { name, version, license, kilobytes: Math.ceil(bytes / 1_000), neededBy: new Set() }
}

function manifestOf(directory: string): Manifest {
  return JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'))
}

function key({ name, version }: Dependency): string {
  return `${name} ${version}`
}

if (process.argv[2] === '--write') writeFileSync(join(root, 'docs/dependencies.md'), dependenciesPage())
