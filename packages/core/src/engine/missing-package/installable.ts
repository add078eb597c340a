/** What may be installed without asking: packages as pip takes them, or all. */
export type InstallablePackages = readonly string[] | 'any'

/**
 * What pip is to be given for a package that is asked for, if it may be installed: the entry of the list, with the version
 * that stands there, whatever else was asked for. Names are compared as the index of packages does (PEP 503).
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
