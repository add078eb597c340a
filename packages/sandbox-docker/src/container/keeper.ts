/**
 * The user of the keeper of a container: a number that no distribution assigns, so that the code can neither
 * signal it nor write to its output. It lies within the 65,536 that an engine which maps users has.
 */
export const keeper = '64999:64999'
const otherKeeper = '64998:64998'

/** @param user - the code's, as the `user` option names it. */
export function keeperBeside(user: string): string {
  return /^64999(:|$)/.test(user) ? otherKeeper : keeper
}
