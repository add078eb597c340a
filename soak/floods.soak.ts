import { eachExecutor, type Trial } from './each-executor.ts'
import type { Subject } from './executors.ts'
import type { Soak, SoakOptions } from './row.ts'

interface Flood {
  readonly name: string
  readonly language: string
  readonly code: string
  /** How many `#` it writes; absent when it never ends. */
  readonly characters?: number
}

interface Answer {
  readonly status: string
  /** Characters of the flood that were kept and bytes that were left out, in sum. */
  readonly counted: number
  readonly grewBy: number
}

/** By how much the host's memory may grow, where its subject names nothing else. */
const usualLimitMB = 128

/** Output with extreme size, length or number of pieces. */
export const floodsSoak: Soak = (options) =>
  eachExecutor(
    options,
    (options.short ? ['yes'] : ['yes', 'one line', 'one byte at a time']).map((what) => trial(what, options)),
  )

function trial(what: string, { rounds = 1, short, setup }: SoakOptions): Trial {
  return {
    soak: 'floods',
    what,
    run: async (subject, realm) => {
      const { floodLimitMB = usualLimitMB } = subject
      const flood = floods(subject).find(({ name }) => name === what)
      const timeoutMs = flood?.characters === undefined ? (short ? 1_000 : 10_000) : 120_000
      let [grewBy, wrong] = [0, 0]
      let note: string | undefined
      for (let round = 0; round < rounds; round++) {
        const program = { subject: subject.name, flood, timeoutMs, setup }
        const answer = await realm.run<Answer>('floods.ts', program, 300_000)
        grewBy = Math.max(grewBy, answer.grewBy / 1e6)
        const isRight =
          flood?.characters === undefined
            ? answer.status === 'timeout'
            : answer.status === 'ok' && answer.counted === flood.characters
        if (isRight) continue
        wrong += 1
        note ??= `${answer.status}, ${answer.counted} counted`
      }
      const { processes, containers, directories } = await realm.left()
      return {
        figures: {
          written: flood?.characters ?? `for ${timeoutMs / 1e3} s`,
          times: rounds,
          wrong,
          'RSS MB': grewBy.toFixed(0),
          'at most': floodLimitMB,
          processes,
          containers,
          directories,
        },
        asPromised: grewBy <= floodLimitMB && wrong + processes + containers + directories === 0,
        ...(note !== undefined && { note }),
      }
    },
  }
}

function floods({ kind }: Subject): readonly Flood[] {
  const length = 100_000_000
  const writes = 1_000_000
  const isKernel = kind === 'jupyter'
  const print = (text: string) =>
    isKernel ? `import sys\nsys.stdout.write(${text})` : `import os\nos.write(1, ${text}.encode())`
  return [
    isKernel
      ? { name: 'yes', language: 'python', code: "import sys\nwhile True: sys.stdout.write('y\\n' * 50_000)" }
      : { name: 'yes', language: 'sh', code: 'yes' },
    {
      name: 'one line',
      language: 'python',
      code: `import sys\nfor _ in range(${length / 1e5}): sys.stdout.write('#' * 100_000)`,
      characters: length,
    },
    {
      name: 'one byte at a time',
      language: 'python',
      code: `${print("''")}\nfor _ in range(${writes}): ${print("'#'").split('\n')[1]}`,
      characters: writes,
    },
  ]
}
