import { requirement } from '@fenced/testing'

/** Of so many programs one is compared in the runs of each level: all of them take minutes. */
const ofLevels: Readonly<Record<string, number>> = { all: 12, nightly: 1 }

const { FENCED_TEST_EVERY_PROGRAM, FENCED_TEST_LEVEL = '' } = process.env

const step = Math.max(1, Number(FENCED_TEST_EVERY_PROGRAM ?? ofLevels[FENCED_TEST_LEVEL] ?? 120))

/** What a program that is not in the sample lacks. */
export const everyProgram = requirement(
  'every-program',
  step === 1 ? undefined : `one program of ${step} is compared`,
)

/** The same programs at each commit. */
export function isInSample(index: number): boolean {
  return index % step === 0
}
