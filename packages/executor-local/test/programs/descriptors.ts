import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'

const [, , how = ''] = process.argv
await using executor = new LocalCommandLineCodeExecutor({
  warm: how.includes('warm'),
  isolation: how.includes('bubblewrap') ? 'bubblewrap' : 'none',
})
// The null device stands where a descriptor would be inherited; the last one is the directory that is listed.
const code = `
import os
names = [os.readlink(f"/proc/self/fd/{n}") for n in os.listdir("/proc/self/fd") if int(n) > 2 and os.path.exists(f"/proc/self/fd/{n}")]
print([name for name in names if name != "/dev/null" and not name.startswith("/proc/")])
`
const { output } = await executor.execute([{ language: 'python', code }])
process.stdout.write(output)
