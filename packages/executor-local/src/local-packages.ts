import type { Language } from '@fenced/core'
import type { PackageAdvice, PackageManager, StartContext } from '@fenced/core/driver'
import { isExternallyManaged } from '@fenced/host'
import type { LocalInterpreters, LocalSandbox } from '@fenced/sandbox-local'

/** Installs packages, given as pip requirements, where the executor's Python finds them. */
export type InstallPackages = (packages: readonly string[], context: StartContext) => Promise<void>

/** How packages get there. */
interface PackageParts {
  readonly installPackages?: InstallPackages | undefined
  readonly packageIndex?: string | undefined
}

const python: Pick<Language, 'id' | 'commands'> = { id: 'python' }

/** Packages for the Python that runs blocks. */
export class LocalPackages implements PackageManager {
  readonly install?: InstallPackages
  readonly index?: string | undefined
  readonly #interpreters: LocalInterpreters
  readonly #isIsolated: boolean

  constructor({ interpreters, capabilities }: LocalSandbox, { installPackages, packageIndex }: PackageParts) {
    this.#interpreters = interpreters
    this.#isIsolated = capabilities.isolation !== 'none'
    if (installPackages !== undefined) this.install = installPackages
    this.index = packageIndex
  }

  async advise(distribution: string): Promise<PackageAdvice> {
    const interpreter = await this.#interpreters.find(python)
    if ('missing' in interpreter) return { advice: interpreter.missing }
    const [program] = interpreter.command
    if (await isExternallyManaged(program)) {
      return {
        advice: `The operating system manages the packages of ${program} (PEP 668), so use a virtual environment that has it.`,
      }
    }
    const command = `${quoted(program)} -m pip install ${quoted(distribution)}`
    if (this.#isIsolated) {
      return {
        command,
        advice: 'Code in the sandbox cannot install it.',
        operatorAdvice: `Install it outside the sandbox with: ${command}. Or use a container: for the \`fenced\` command, \`--executor docker --packages ${quoted(distribution)}\`.`,
      }
    }
    return { command, advice: `Install it with: ${command}` }
  }
}

function quoted(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word
  return process.platform === 'win32' ? `"${word}"` : `'${word.replaceAll("'", `'\\''`)}'`
}
