// Prints the commands of the README's first shell block, one a line, without their comments.
import { readFileSync } from 'node:fs'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const [, block = ''] = /^```sh\n([\s\S]*?)^```$/m.exec(readme) ?? []
for (const line of block.trim().split('\n')) console.log(line.replace(/\s+#.*/, ''))
