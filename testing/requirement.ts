import { channel } from 'node:diagnostics_channel'

/** Something outside of the repository that tests need. */
export interface Requirement {
  /** Whether the tests that need it are to be skipped. */
  readonly missing: boolean
}

/** What a subscriber of {@link missingRequirements} gets. */
export interface MissingRequirement {
  readonly name: string
  /** Why it cannot be used. */
  readonly problem: string
}

/**
 * Gets a {@link MissingRequirement} whenever a test asks for something that is missing: for a list at the end of a run.
 * Without a subscriber the reason is printed to stderr.
 */
export const missingRequirements = channel('fenced.requirement.missing')

/**
 * Whether tests with a requirement can run. Names in the variable `FENCED_REQUIRE` (separated by commas) must be
 * there: for them a skip is a failure. Names in `FENCED_SKIP` count as missing.
 *
 * @param name - what is needed, in kebab-case: `bubblewrap`, `docker`.
 * @param found - why it cannot be used, or `undefined` when it can.
 * @throws Error when it is required and missing.
 */
export function requirement(name: string, found: string | undefined): Requirement {
  const problem = isNamed('FENCED_SKIP', name) ? 'FENCED_SKIP names it' : found
  if (problem === undefined) return { missing: false }
  if (isNamed('FENCED_REQUIRE', name)) throw new Error(`FENCED_REQUIRE names ${name}, but ${problem}`)
  return {
    get missing() {
      report({ name, problem })
      return true
    },
  }
}

function isNamed(variable: string, name: string): boolean {
  return (process.env[variable] ?? '').split(',').some((entry) => entry.trim() === name)
}

function report(missing: MissingRequirement): void {
  if (missingRequirements.hasSubscribers) missingRequirements.publish(missing)
  else process.stderr.write(`Skipped: what needs ${missing.name}, because ${missing.problem}\n`)
}
