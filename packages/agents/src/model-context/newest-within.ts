/**
 * The newest groups that hold no more messages than `size` together. The very newest is among them however large it is: a
 * model that is asked without it would answer to something else.
 */
export function newestWithin(groups: readonly (readonly number[])[], size: number): (readonly number[])[] {
  const newest = [...groups.slice(-1)]
  let count = newest[0]?.length ?? 0
  for (const group of groups.slice(0, -1).toReversed()) {
    count += group.length
    if (count > size) break
    newest.push(group)
  }
  return newest
}
