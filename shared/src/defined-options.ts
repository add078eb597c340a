/** Options without those that are `undefined`: spread over defaults, these would hide them. */
export function definedOptions<Options extends object>(options: Options): Options {
  return Object.fromEntries(
    Object.entries({ ...options }).filter(([, value]) => value !== undefined),
  ) as Options
}
