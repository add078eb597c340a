/** A program that must do the same whether its interpreter is a new one or a fork. */
export interface TestProgram {
  readonly name: string
  readonly code: string
}

export function program(name: string, ...lines: string[]): TestProgram {
  return { name, code: lines.join('\n') }
}

/** The same program with each of many things in the place of `$`. */
export function family(
  name: string,
  values: readonly (string | number)[],
  ...lines: string[]
): TestProgram[] {
  return values.map((value) =>
    program(
      `${name}: ${value}`,
      lines.join('\n').replaceAll('$', () => `${value}`),
    ),
  )
}
