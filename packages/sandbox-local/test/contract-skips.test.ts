import { describeSandbox } from '@fenced/contract'
import { expect, it } from 'vitest'
import { LocalSandbox } from '../src/index.ts'
import { python } from './requirements.ts'

/** Runs the rows whose names match, and returns why each of them was skipped. */
async function skipped(programs: readonly string[], names: RegExp): Promise<readonly (string | undefined)[]> {
  const bodies: (() => Promise<string | undefined>)[] = []
  const functions = {
    describe: (_: string, body: () => void) => body(),
    it: (name: string, { skip }: { skip: boolean }, body: (context: Context) => Promise<void>) => {
      if (!names.test(name) || skip) return
      bodies.push(async () => {
        let why: string | undefined
        await body({ skip: (reason) => (why = reason) })
        return why
      })
    },
  }
  describeSandbox(functions, {
    name: 'sandbox',
    create: () => new LocalSandboxWith(programs),
  })
  const reasons = []
  for (const body of bodies) reasons.push(await body())
  return reasons
}

/** A sandbox that finds only these programs. */
class LocalSandboxWith extends LocalSandbox {
  readonly #programs: readonly string[]

  constructor(programs: readonly string[]) {
    super()
    this.#programs = programs
  }

  override which(names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return super.which(names.filter((name) => this.#programs.includes(name)))
  }
}

interface Context {
  skip(reason: string): unknown
}

const title = 'a row whose program the sandbox lacks is skipped with that reason, and runs where it is there'

it.skipIf(python.missing)(title, async () => {
  const names = /^Ctrl-Z stops a job|the sandbox of these rows stops/
  expect(await skipped(['python3'], names)).toContain('the sandbox has no bash')
  expect((await skipped(['bash', 'python3'], names)).filter((why) => why !== undefined)).toEqual([])
})
