import { FencedError } from '@fenced/errors'
import type { LanguageTable } from '@fenced/markdown'
import type { ExecutorCapabilities } from '../../code-executor.ts'
import { driverNetwork } from '../block/network-of.ts'
import type { Driver } from '../driver.ts'
import type { DriverExecutorParts } from '../engine-context.ts'
import type { EngineOptions } from '../options.ts'
import { withApprovalParticulars } from './approval-particulars.ts'

/**
 * Returns the capabilities of an executor: those of its driver, as its options limit and extend them.
 *
 * @throws FencedError `INVALID_OPTIONS` if packages are to be installed, and the driver cannot install them.
 */
export function promisedCapabilities(
  { name, driver, capabilities, options, configuration }: DriverExecutorParts,
  languages: LanguageTable,
): ExecutorCapabilities {
  checkPackageInstaller(name, driver, options)
  // A language that a policy only saves does not run, even if the driver could run it. A container is another system.
  const system = capabilities.isolation === 'none' ? process.platform : 'linux'
  const isRun = (id: string) => {
    const { kind, systems = [system] } = languages.find(id) ?? {}
    return kind === 'run' && systems.includes(system)
  }
  const { toolLanguages } = capabilities
  const promised = {
    ...capabilities,
    languages: capabilities.languages.filter(isRun),
    stateful: capabilities.stateful.filter(isRun),
    ...(toolLanguages === undefined ? {} : { toolLanguages: toolLanguages.filter(isRun) }),
    ...(driverNetwork(driver) === undefined ? {} : { networkRequests: true }),
    ...(driver.packages?.index === undefined ? {} : { packageIndex: driver.packages.index }),
    ...(options.missingPackages === 'install' ? { installablePackages: options.installablePackages } : {}),
  }
  return withApprovalParticulars(promised, options, configuration)
}

function checkPackageInstaller(name: string, { packages }: Driver, { missingPackages }: EngineOptions): void {
  if (missingPackages === 'report' || packages?.install !== undefined) return
  throw new FencedError({
    code: 'INVALID_OPTIONS',
    message: `The executor "${name}" cannot install packages, so \`missingPackages\` must be 'report'. To install packages, use an executor from a @fenced/python-env environment.`,
    data: { executor: name, option: 'missingPackages' },
  })
}
