import { defineExecutor, HostWorkDirectory } from '@fenced/core/driver'
import { runProcess } from '@fenced/host'
import { z } from 'zod'

const awk = {
  id: 'awk',
  aliases: ['mawk', 'gawk'],
  extension: 'awk',
  comments: [{ open: '#' }],
  kind: 'run',
} as const

/** Runs programs in awk, which have the lines of one file of the working directory as their input. */
export const awkExecutor = defineExecutor({
  name: 'awk',
  languages: [awk],
  options: {
    workDir: z.string().optional(),
    input: z.string().default('/dev/null'),
  },
  driver({ workDir, input }) {
    const workDirectory = new HostWorkDirectory({ path: workDir })
    return {
      workDirectory,
      run: ({ path }, io) =>
        runProcess(
          ['awk', '-f', path, input],
          { cwd: workDirectory.path },
          io,
        ),
    }
  },
})
