import { UserError } from '../user-error.ts'

/** Who decides whether code is run: a person, nobody (it is), or nobody (it is not). */
export type ApprovalChoice = 'ask' | 'always' | 'never'

/** What the demo does without being told. */
export const ruleWithoutQuestions: Readonly<Record<Exclude<ApprovalChoice, 'ask'>, string>> = {
  always: 'Nobody is asked: all code is run.',
  never: 'Nobody is asked: no code is run, and you see what would have been.',
}

/**
 * A person decides where there is one.
 *
 * @throws UserError when a person is to decide, and there is none.
 */
export function approvalChoice(
  chosen: ApprovalChoice | undefined,
  otherwise: ApprovalChoice = isAtTerminal() ? 'ask' : 'always',
): ApprovalChoice {
  if (chosen !== 'ask' || isAtTerminal()) return chosen ?? otherwise
  throw new UserError(
    'Nobody can be asked whether code may be run: --approve ask needs a terminal. Without one, say --approve always or --approve never.',
  )
}

/** Whether there is somebody who can be asked, and sees what about. */
function isAtTerminal(): boolean {
  const { stdin, stdout } = process
  return stdin.isTTY === true && stdout.isTTY === true
}
