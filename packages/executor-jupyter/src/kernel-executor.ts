import { createLanguageTable, FencedError, type Isolation, type Language } from '@fenced/core'
import type { DriverExecutor, HostWorkDirectory } from '@fenced/core/driver'
import { JupyterDriver } from './jupyter-driver.ts'
import type { KernelSource } from './kernel/kernel.ts'
import type { KernelSettings } from './options.ts'
import type { JupyterServer } from './server/connection-info.ts'

type DriverExecutorOptions = ConstructorParameters<typeof DriverExecutor>[0]

/** Parts of an executor with a kernel. */
export interface KernelExecutorParts {
  readonly workDirectory: HostWorkDirectory
  readonly source: KernelSource
  /** Whether a server starts the kernels. */
  readonly isGuest: boolean
  /** Name of the kernel in messages. */
  readonly kernelName: string
  /** What is known about the isolation of its kernels. */
  readonly protection: KernelProtection
  /** Run silently in every new kernel. */
  readonly setup: string | undefined
  readonly configuration: NonNullable<DriverExecutorOptions['configuration']>
}

export type KernelProtection = Pick<
  JupyterServer,
  'isolationParticulars' | 'network' | 'connections' | 'limits'
> & {
  readonly isolation: Isolation
  /** What holds the limits; absent where nothing does, or it is not known. */
  readonly bounded?: Pick<JupyterServer, 'limitsInForce'> | undefined
}

/** Kernels without known isolation: they can do everything that the user can do. */
export const unprotected: KernelProtection = {
  isolation: 'none',
  network: 'open',
  limits: { memory: false, processes: false },
}

/** The options of an executor whose blocks are cells of a kernel. */
export function kernelExecutor(settings: KernelSettings, parts: KernelExecutorParts): DriverExecutorOptions {
  const { interruptGraceMs, startTimeoutMs, language } = settings
  const { workDirectory, source, kernelName, setup, configuration } = parts
  const { isolation, isolationParticulars = {}, network, connections, limits, bounded } = parts.protection
  const options = withLanguage(settings)
  const languages = spokenLanguages(language)
  return {
    name: 'jupyter',
    driver: new JupyterDriver({
      ...{ workDirectory, source, bounded, setup, interruptGraceMs, startTimeoutMs },
      isGuest: parts.isGuest,
      network: connections,
      checkLanguage: (kernelLanguage) => checkLanguage(kernelLanguage, options, kernelName),
    }),
    // A new kernel has a separate limit.
    prepareTimeoutMs: startTimeoutMs + 10_000,
    options,
    capabilities: {
      languages,
      ...{ isolation, isolationParticulars, network, limits },
      ...{ stateful: languages, richOutput: true, inputRequests: true },
      ...(language === 'python' ? { toolLanguages: ['python'] } : {}),
    },
    stopGraceMs: interruptGraceMs + 10_000,
    configuration,
  }
}

/** A language that the table does not have becomes a row of it: a kernel needs no command. */
function withLanguage(settings: KernelSettings): KernelSettings {
  const { language, languages, executionPolicies } = settings
  if (createLanguageTable({ languages, executionPolicies }).find(language) !== undefined) return settings
  const row: Language = { id: language, aliases: [], extension: 'txt', comments: [], kind: 'run' }
  return { ...settings, languages: [...languages, row] }
}

/** What Bash runs is called `sh` as often as `bash`. */
function spokenLanguages(language: string): string[] {
  return language === 'bash' ? ['bash', 'sh'] : [language]
}

function checkLanguage(kernelLanguage: string, settings: KernelSettings, kernelName: string): void {
  const { language, languages, executionPolicies } = settings
  const table = createLanguageTable({ languages, executionPolicies })
  const spoken = table.find(kernelLanguage)?.id ?? kernelLanguage.toLowerCase()
  if (spoken === language) return
  throw new FencedError({
    code: 'KERNEL_LANGUAGE',
    message: `The kernel "${kernelName}" runs ${spoken}, but \`language\` is ${language}. Set \`language: '${spoken}'\`, or choose another \`kernelName\`.`,
    data: { kernel: kernelName, language: spoken, needed: language, option: 'language, kernelName' },
  })
}
