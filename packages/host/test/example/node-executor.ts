import { defineExecutor, HostWorkDirectory } from '@fenced/core/driver'
import { runProcess } from '@fenced/host'
import { z } from 'zod'

/** Runs JavaScript blocks with the Node that runs this program. */
export const nodeExecutor = defineExecutor({
  name: 'node',
  languages: ['javascript'],
  options: { workDir: z.string().optional() },
  driver({ workDir }) {
    const workDirectory = new HostWorkDirectory({ path: workDir })
    return {
      workDirectory,
      run: ({ path }, io) =>
        runProcess(
          [process.execPath, path],
          { cwd: workDirectory.path },
          io,
        ),
    }
  },
})
