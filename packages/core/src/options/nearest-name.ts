/** The name of a list that is most like a mistyped one, where one is like it. */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  const typed = plainName(name)
  // A third of the letters may be wrong: more is another word.
  const allowed = Math.ceil(typed.length / 3)
  const [nearest] = names
    .map((candidate) => ({ candidate, distance: editDistance(typed, plainName(candidate)) }))
    .filter(({ distance }) => distance <= allowed)
    .sort((a, b) => a.distance - b.distance)
  return nearest?.candidate
}

/** A name without what differs between habits of writing: `work_dir`, `work-dir` and `workDir` are the same. */
export function plainName(name: string): string {
  return name.replaceAll(/[_-]/g, '').toLowerCase()
}

/** How many letters have to be put in, taken away or replaced (Levenshtein). */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [deleted, letter] of [...from].entries()) {
    const next = [deleted + 1]
    for (let index = 0; index < to.length; index++) {
      const replaced = (row[index] as number) + (to[index] === letter ? 0 : 1)
      next.push(Math.min(replaced, (row[index + 1] as number) + 1, (next[index] as number) + 1))
    }
    row = next
  }
  return row[to.length] as number
}
