import type { CodeBlock } from '../code-block.ts'
import type { ExecutorCapabilities } from '../code-executor.ts'

/** Small programs that every language can say. */
interface Programs {
  print(text: string): string
  exit(code: number): string
  sleep(seconds: number): string
  /** Writes lines without end. */
  flood: string
  writeFile(name: string, text: string): string
  removeFile(name: string): string
}

const byLanguage: Readonly<Record<string, Programs>> = {
  python: {
    print: (text) => `print(${JSON.stringify(text)})`,
    exit: (code) => `import sys; sys.exit(${code})`,
    sleep: (seconds) => `import time; time.sleep(${seconds})`,
    flood: "import sys\nwhile True: sys.stdout.write('x' * 9999 + '\\n')",
    writeFile: (name, text) => `open(${JSON.stringify(name)}, 'w').write(${JSON.stringify(text)})`,
    removeFile: (name) => `import os; os.remove(${JSON.stringify(name)})`,
  },
  javascript: {
    print: (text) => `console.log(${JSON.stringify(text)})`,
    exit: (code) => `process.exit(${code})`,
    sleep: (seconds) => `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${seconds * 1000})`,
    flood: "while (true) require('fs').writeSync(1, 'x'.repeat(9999) + '\\n')",
    writeFile: (name, text) =>
      `require('fs').writeFileSync(${JSON.stringify(name)}, ${JSON.stringify(text)})`,
    removeFile: (name) => `require('fs').rmSync(${JSON.stringify(name)})`,
  },
  sh: {
    print: (text) => `echo '${text}'`,
    exit: (code) => `exit ${code}`,
    sleep: (seconds) => `sleep ${seconds}`,
    flood: 'yes',
    writeFile: (name, text) => `printf %s '${text}' > '${name}'`,
    removeFile: (name) => `rm '${name}'`,
  },
}

/** Makes blocks of the first language that the place runs and we have words for. */
export function blocksFor({ languages }: ExecutorCapabilities) {
  const language = Object.keys(byLanguage).find((id) => languages.includes(id))
  const programs = byLanguage[language ?? '']
  if (language === undefined || programs === undefined) {
    throw new Error(
      `The contract has no programs in ${languages.join(', ')}: it needs python, javascript or sh.`,
    )
  }
  const block = (...lines: string[]): CodeBlock => ({ language, code: lines.join('\n') })
  return { ...programs, block }
}

/** A Python block. */
export function python(...lines: string[]): CodeBlock {
  return { language: 'python', code: lines.join('\n') }
}
