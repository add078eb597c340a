interface Row {
  readonly test: string
  readonly reason: string
  readonly until?: string
}

export function readQuarantine(
  list?: readonly Row[],
  today?: string,
): { rows: readonly Row[]; problems: readonly string[] }
