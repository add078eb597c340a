// Exits while its program makes directories, without stopping the executor. The program notes it where one of its files vanishes.
import { LocalCommandLineCodeExecutor } from '../../src/index.ts'

const [, , isolation, warm, note] = process.argv
const executor = new LocalCommandLineCodeExecutor({
  isolation: isolation === 'bubblewrap' ? 'bubblewrap' : 'none',
  warm: warm === 'warm',
})
console.log(executor.workDir)
const code = `
import os
open('kept', 'w').close()
print('begun', flush=True)
while os.path.exists('kept'):
    for number in range(20):
        try:
            os.makedirs(f'{number}/below', exist_ok=True)
        except OSError:
            pass
open('${note}', 'w').close()
`
for await (const event of executor.execute([{ language: 'python', code }])) {
  if (event.type === 'stdout') process.exit(0)
}
