// Runs a program in bubblewrap while a process of another sandbox with the same directory puts a link in the place of the program's
// file. A bwrap on the PATH waits for the link before it becomes the real one. Prints the block's result and the directory outside.
import { existsSync } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setInterval as ticks } from 'node:timers/promises'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { toSandboxSession } from '../../src/index.ts'

const [, , folder = '', sharing = '', language = '', code = ''] = process.argv
const workDir = join(folder, 'work')
const outside = join(folder, 'outside')

const attack = `import os
open('ready', 'w').close()
while not os.path.exists('go'): pass
for name in os.listdir('.'):
    if name in ('ready', 'go'): continue
    os.rename(name, 'aside')
    os.symlink('/oldroot${outside}/made', name)
open('exchanged', 'w').close()
while True: pass`

async function until(path: string): Promise<void> {
  for await (const _ of ticks(5)) if (existsSync(path)) return
}

const newExecutor = () =>
  new LocalCommandLineCodeExecutor({
    ...{ workDir, isolation: 'bubblewrap', warm: false, allowSharedWorkDir: true, timeoutMs: 30_000 },
  })

const executor = newExecutor()
const beside = newExecutor()
const stopped = new AbortController()
const session = toSandboxSession(executor)
const python = ['exec python3 -c', `'${attack.replaceAll("'", "'\\''")}'`].join(' ')
const attacked =
  sharing === 'session'
    ? session.spawn({ command: python, abortSignal: stopped.signal })
    : beside.execute([{ language: 'sh', code: python }], { signal: stopped.signal })
Promise.resolve(attacked).catch(() => {})
await until(join(workDir, 'ready'))
await writeFile(join(folder, 'armed'), '')
const running = executor.execute([{ language, code }])
await Promise.race([until(join(folder, 'waiting')), running])
await writeFile(join(workDir, 'go'), '')
const { blocks } = await running
const codes = blocks.flatMap(({ notices }) => notices.map(({ code: each }) => each))
console.log(JSON.stringify({ status: blocks[0]?.status, codes, outside: await readdir(outside) }))
stopped.abort()
await Promise.all([executor.stop(), beside.stop()])
process.exit()
