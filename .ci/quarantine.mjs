// Faults of real engines that are not ours: tests that may fail until a day, each with its reason. At most five.
// A row: { test: 'packages/executor-docker/test/life.test.ts > the name of the test', reason: '…', until: '2027-01-31' }.
const rows = []

const most = 5

/** The rows, and what is wrong with the list. */
export function readQuarantine(list = rows, today = new Date().toISOString().slice(0, 10)) {
  const problems = list
    .filter(({ until }) => !(until >= today))
    .map(({ test, until }) => `${test} was in quarantine until ${until}. Repair it, or remove it.`)
  if (list.length > most) problems.push(`It has ${list.length} rows, and ${most} are allowed. Repair a test.`)
  return { rows: list, problems }
}
