import { defineExecutor, HostWorkDirectory } from '@fenced/core/driver'
import { runProcess } from '@fenced/host'
import { z } from 'zod'

const c = {
  id: 'c',
  aliases: [],
  extension: 'c',
  comments: [{ open: '//' }, { open: '/*', close: '*/' }],
  kind: 'run',
} as const

/** Compiles C blocks with `cc`, and runs them. */
export const cExecutor = defineExecutor({
  name: 'c',
  languages: [c],
  options: { workDir: z.string().optional() },
  driver({ workDir }) {
    const workDirectory = new HostWorkDirectory({ path: workDir })
    // Temporary: the binary is not reported as a file of the block.
    const binaries = new HostWorkDirectory()
    return {
      workDirectory,
      async start() {
        await binaries.open()
      },
      run({ path }, io) {
        const program = `${binaries.path}/program`
        const before = [['cc', '-o', program, path, '-lm']] as const
        return runProcess(
          [program],
          { cwd: workDirectory.path, before },
          io,
        )
      },
      stop: () => binaries.close(),
    }
  },
})
