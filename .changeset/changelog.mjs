// Contents of the changelogs: the words of each changeset, and in one line what else of Fenced a package now needs.

/** @param changeset - a changeset that names the package. */
export async function getReleaseLine({ summary }) {
  const [first, ...others] = summary.trim().split('\n')
  return [`- ${first}`, ...others.map((line) => (line === '' ? '' : `  ${line}`))].join('\n')
}

/** @param dependencies - what the package depends on and is released with it. */
export async function getDependencyReleaseLine(_changesets, dependencies) {
  if (dependencies.length === 0) return ''
  const names = dependencies.map(({ name, newVersion }) => `\`${name}\` ${newVersion}`)
  return `- Works with ${names.sort().join(', ')}.`
}
