/** Packages that may be installed without a question: requirements of pip, or all packages. */
export type InstallablePackages = readonly string[] | 'any'

/**
 * Returns the requirement for pip, if the package may be installed: the entry of the list with its version, which
 * overrides the wanted version. Names are compared as the index of packages does (PEP 503).
 */
export function installableAs(wanted: string, installable: InstallablePackages): string | undefined {
  if (installable === 'any') return onlyName.test(wanted) ? wanted : undefined
  const name = normalized(nameOf(wanted))
  return name === undefined ? undefined : installable.find((entry) => normalized(nameOf(entry)) === name)
}

/** `pandas[excel] >= 2`: nothing that pip would fetch from elsewhere, and no file of this machine. */
const onlyName = /^\s*\w[\w.-]*\s*(\[[\w\s,.-]*\])?\s*([<>=!~][^@/\\]*)?$/

/** Of `pandas[excel] >= 2` it is `pandas`; paths and addresses have none. */
function nameOf(requirement: string): string | undefined {
  const [, name] = /^\s*([\w.-]*\w)\s*($|[[(<>=!~;@,])/.exec(requirement) ?? []
  return name
}

function normalized(name: string | undefined): string | undefined {
  return name?.toLowerCase().replace(/[-_.]+/g, '-')
}
