/** Of options with every default filled in those that were given, checked. */
export function givenOptions(given: object, checked: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(checked).filter(
      ([name, value]) => value !== undefined && (given as Record<string, unknown>)[name] !== undefined,
    ),
  )
}
