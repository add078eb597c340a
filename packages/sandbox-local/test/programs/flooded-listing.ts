import { ProcessFiles } from '@fenced/sandbox'
import { LocalSandbox } from '../../src/index.ts'

/** Lists a directory with too many names, from both sides, and a listing without an end. Prints the code of each error. */
await using sandbox = new LocalSandbox()
await sandbox.start()
const fill = 'mkdir many; cd many; seq 100001 | xargs touch'
await (await sandbox.spawn(['/bin/sh', '-c', fill], { output: () => {} })).ended
const spawn = sandbox.spawn.bind(sandbox)
const endless = new ProcessFiles({
  spawn: ([program], options) => spawn([program, '-c', "exec yes '81a4 0 0 name/'"], options),
  directory: sandbox.directory,
})
const listings = [
  () => sandbox.files.list('many'),
  () => new ProcessFiles({ spawn, directory: sandbox.directory }).list('many'),
  () => endless.list('.'),
]
const codes: unknown[] = []
for (const list of listings) {
  const listed = await list().catch((error: { code?: string }) => error.code)
  codes.push(typeof listed === 'string' ? listed : listed?.size)
}
process.stdout.write(JSON.stringify(codes))
