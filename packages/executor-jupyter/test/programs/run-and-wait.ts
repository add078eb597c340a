// Runs a cell that starts two programs, one of them in a session of its own, which in bubblewrap also clears its environment, and does
// not end; then waits to be killed.
import { JupyterCodeExecutor } from '../../src/index.ts'
import { serverOf } from './server-of.ts'

const [way, python, seconds] = process.argv.slice(2)
const server = serverOf(way, python)
const isolation = way === 'bubblewrap' ? way : 'none'
const executor = new JupyterCodeExecutor({ python, server, isolation })
const cleared = isolation === 'none' ? '' : ', env={}'
const code = `
import subprocess, time
subprocess.Popen(['sleep', '${seconds}'])
subprocess.Popen(['sleep', '${seconds}'], start_new_session=True${cleared})
print('started', flush=True)
time.sleep(1000)`
for await (const event of executor.execute([{ language: 'python', code }])) {
  if (event.type === 'stdout') process.stdout.write(event.text)
}
