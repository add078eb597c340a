import { spawnSync } from 'node:child_process'
import { requirement } from '@fenced/core/testing'

/** One program of how many is compared: all of them take minutes. */
const step = Math.max(1, Number(process.env.FENCED_TEST_EVERY_PROGRAM ?? 12))

/** All programs come round with the commits. */
const turn = step === 1 ? 0 : Number.parseInt(commit().slice(0, 8), 16) % step

/** What a program that is not in the sample lacks. */
export const everyProgram = requirement(
  'every-program',
  step === 1 ? undefined : `one program of ${step} is compared; the commit decides which`,
)

export function isInSample(index: number): boolean {
  return index % step === turn
}

function commit(): string {
  const { stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: import.meta.dirname, encoding: 'utf8' })
  return /^[0-9a-f]{8}/.test(stdout ?? '') ? stdout : '00000000'
}
