/** Something outside of the repository that tests need. */
export interface Requirement {
  readonly missing: boolean
}

/**
 * Says whether tests that need something can run, and prints the reason when they cannot. Names in the variable
 * `FENCED_REQUIRE` (separated by commas) must be there: for them a skip is a failure.
 *
 * @param name - what is needed, in kebab-case: `bubblewrap`, `docker`.
 * @param problem - why it cannot be used, or `undefined` when it can.
 * @throws Error when it is required and missing.
 */
export function requirement(name: string, problem: string | undefined): Requirement {
  if (problem === undefined) return { missing: false }
  const required = (process.env.FENCED_REQUIRE ?? '').split(',').map((entry) => entry.trim())
  if (required.includes(name)) throw new Error(`FENCED_REQUIRE names ${name}, but ${problem}`)
  process.stderr.write(`Skipped: what needs ${name}, because ${problem}\n`)
  return { missing: true }
}
