/** Whether `version` belongs to what was asked for: `3.13.1` to `3`, `3.13` and `3.13.1`. */
export function matchesVersion(version: string, asked: string): boolean {
  return version === asked || version.startsWith(`${asked}.`)
}

/** Whether `version` is at least another one; parts that are missing there count as 0. */
export function isAtLeast(version: string, minimum: string): boolean {
  const [given, wanted] = [numbersOf(version), numbersOf(minimum)]
  for (const [index, part] of wanted.entries()) {
    const difference = (given[index] ?? 0) - part
    if (difference !== 0) return difference > 0
  }
  return true
}

function numbersOf(version: string): number[] {
  return version.split('.').map((part) => Number.parseInt(part, 10) || 0)
}
