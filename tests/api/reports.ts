import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CompilerState, Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor'

// The API report of every package, made of its built declaration files: fails where a package's `api.md` differs, and
// writes it with `--write`.

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>
}

const packages = join(import.meta.dirname, '../../packages')
const compilerOptions = {
  module: 'nodenext',
  moduleResolution: 'nodenext',
  target: 'esnext',
  lib: ['esnext', 'dom'],
  strict: true,
  skipLibCheck: true,
  types: ['node'],
  typeRoots: [join(packages, '../node_modules/@types')],
}

const temporary = mkdtempSync(join(tmpdir(), 'fenced-api-'))
try {
  for (const [path, report] of reports()) {
    const isSame = process.argv.includes('--write') ? write(path, report) : isCommitted(path, report)
    if (!isSame) process.exitCode = 1
  }
} finally {
  rmSync(temporary, { recursive: true, force: true })
}
if (process.exitCode === 1) {
  process.stderr.write(
    'A package does not export what its api.md says. If that is meant, write it again: npx -y pnpm api\n',
  )
}

/** By the path at which each is committed. */
function* reports(): Generator<[string, string]> {
  const configs = readdirSync(packages).map(configOf)
  const [first, ...others] = configs
  if (first === undefined) return
  // One program for all: most of the time goes into the declarations of Node and of TypeScript's own libraries.
  const compilerState = CompilerState.create(first, {
    additionalEntryPoints: others.map((config) => config.mainEntryPointFilePath),
  })
  for (const config of configs) {
    const { errorCount } = Extractor.invoke(config, {
      compilerState,
      localBuild: true,
      messageCallback: (message) => {
        message.handled = message.logLevel !== ExtractorLogLevel.Error
      },
    })
    if (errorCount > 0) throw new Error(`The declaration files of ${config.projectFolder} cannot be read.`)
    yield [join(config.projectFolder, 'api.md'), withoutRemarks(readFileSync(config.reportFilePath, 'utf8'))]
  }
}

function configOf(name: string): ExtractorConfig {
  const projectFolder = join(packages, name)
  const messages = { default: { logLevel: ExtractorLogLevel.None } }
  return ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: join(projectFolder, 'package.json'),
    configObject: {
      projectFolder,
      mainEntryPointFilePath: everyEntryPoint(name),
      newlineKind: 'lf',
      compiler: { overrideTsconfig: { compilerOptions, files: [everyEntryPoint(name)] } },
      apiReport: {
        enabled: true,
        reportFileName: name,
        reportFolder: temporary,
        reportTempFolder: temporary,
        includeForgottenExports: true,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: { extractorMessageReporting: messages, tsdocMessageReporting: messages },
    },
  })
}

/** A declaration file with the main entry point's names, and a namespace for each other, so that a report has each declaration once. */
function everyEntryPoint(name: string): string {
  const { exports } = JSON.parse(readFileSync(join(packages, name, 'package.json'), 'utf8')) as Manifest
  const lines = Object.entries(exports).map(([door, target]) => {
    // contributing/releases.md promises nothing about `internal`.
    if (typeof target === 'string' || door === './internal') return ''
    const from = `from '${join(packages, name, target.types.replace(/\.d\.ts$/, '.js'))}'\n`
    return door === '.' ? `export * ${from}` : `export * as ${namespaceOf(door)} ${from}`
  })
  const path = join(temporary, `${name}.d.mts`)
  writeFileSync(path, lines.join(''))
  return path
}

function namespaceOf(door: string): string {
  return door.slice('./'.length).replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
}

/** Whether something has documentation is no part of what it promises. */
function withoutRemarks(report: string): string {
  return report.replace(/^ *\/\/ (?:@public|@public \(undocumented\)|\(undocumented\))\n/gm, '')
}

function write(path: string, report: string): true {
  writeFileSync(path, report)
  return true
}

/** Prints the difference, if any. */
function isCommitted(path: string, report: string): boolean {
  const { status } = spawnSync('diff', ['-u', '--new-file', path, '-'], {
    input: report,
    stdio: ['pipe', 'inherit', 'inherit'],
  })
  return status === 0
}
