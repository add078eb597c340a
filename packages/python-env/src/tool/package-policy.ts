import type { StartOptions } from '@fenced/core'
import { type InstallablePackages, installableAs, packageSchema } from '@fenced/core/internal'
import type { SharedStart } from '@fenced/host'
import { sharedEnvironment } from '../python-environment.ts'

/** Installs packages, as pip takes them. */
export type Install = (packages: readonly string[], options: StartOptions) => Promise<void>

/** The packages that calls ask for. Each set is installed once, also when several calls want it at the same time. */
export class PackagePolicy {
  readonly #installable: InstallablePackages
  readonly #install: Install
  readonly #installed = new Set<string>()
  readonly #installing = new Map<string, SharedStart<true>>()

  constructor(installable: InstallablePackages, install: Install) {
    this.#installable = installable
    this.#install = install
  }

  /** Returns the packages to install, as pip accepts them, or the first package that is not allowed. */
  choose(
    packages: readonly string[],
  ): { readonly missing: readonly string[] } | { readonly refused: string } {
    const chosen = new Set<string>()
    for (const name of packages) {
      const entry = packageSchema.safeParse(name).success ? installableAs(name, this.#installable) : undefined
      if (entry === undefined) return { refused: name }
      chosen.add(entry.trim())
    }
    return { missing: [...chosen].filter((entry) => !this.#installed.has(entry)).toSorted() }
  }

  async install(missing: readonly string[], options: StartOptions): Promise<void> {
    const key = missing.join('\n')
    const installing = this.#installing.get(key) ?? this.#shared(missing)
    this.#installing.set(key, installing)
    await installing.get(options)
    this.#installing.delete(key)
  }

  /** Forgets what is installed: the environment can be a different one from now on. */
  forget(): void {
    this.#installed.clear()
  }

  #shared(missing: readonly string[]): SharedStart<true> {
    return sharedEnvironment<true>(
      async (options) => {
        await this.#install(missing, options)
        for (const entry of missing) this.#installed.add(entry)
        return true
      },
      async () => {},
    )
  }
}
