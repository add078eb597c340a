/** Bytes that a program writes to a stream. */
export interface OutputPiece {
  readonly stream: 'stdout' | 'stderr'
  readonly bytes: Uint8Array
}

/**
 * The contract's programs in one language. Several programs concatenated in order must form a single valid program. A language
 * that cannot express a program leaves it out, and the rows that need it are skipped.
 */
export interface ContractPrograms {
  /** Prints a text, which contains no quotes, followed by a line ending. */
  readonly print: (text: string) => string
  /** Exits the program. */
  readonly exit: (code: number) => string
  /** Waits for a number of seconds and then continues. */
  readonly sleep: (seconds: number) => string
  /** Writes lines endlessly. */
  readonly flood: string
  /** Creates or replaces a file in the working directory. */
  readonly writeFile: (name: string, text: string) => string
  readonly removeFile: (name: string) => string
  /** A one-line comment. Default: in the style of the built-in language with this ID. */
  readonly comment: (text: string) => string
  /** Writes the pieces, with a pause after each. */
  readonly write: (pieces: readonly OutputPiece[], pauseMs: number) => string
  /** Ends the program as a bug would: a nonzero exit code and the message on stderr. The message appears nowhere else in full. */
  readonly fail: (message: string) => string
  /** Kills the program with SIGKILL. */
  readonly killSelf: string
  /** Sets a global variable. */
  readonly setVariable: (name: string) => string
  /** Prints `yes` or `no`, depending on whether the variable is set. */
  readonly printIsSet: (name: string) => string
  /** Starts the `sleep` command in the background, where it holds the streams open, and continues. */
  readonly startChild: (seconds: number) => string
  /** Starts the `sleep` command in the background of a separate session, and continues. */
  readonly startDaemon: (seconds: number) => string
  /** Ignores SIGTERM from now on. */
  readonly ignoreTermination: string
  /** Prints the value of an environment variable, or `unset`. */
  readonly printEnvironment: (name: string) => string
  /** Creates a symbolic link. */
  readonly link: (target: string, name: string) => string
  /** Reads a line from standard input. Prints `nothing`, or fails, if the input ends before a line. */
  readonly readLine: string
  /** Opens a TCP connection. Fails with the system’s message. */
  readonly connect: (host: string, port: number) => string
  /** Starts a number of processes that sleep. Prints `stopped` if a process is refused, and `ended` at the end. */
  readonly fork: (count: number, seconds: number) => string
  /** Fills memory with a number of bytes. */
  readonly fillMemory: (bytes: number) => string
}

const text = JSON.stringify

export const builtInPrograms: Readonly<Record<string, Partial<ContractPrograms>>> = {
  python: {
    print: (line) => `print(${text(line)})`,
    exit: (code) => `import sys; sys.exit(${code})`,
    sleep: (seconds) => `import time; time.sleep(${seconds})`,
    flood: "import sys\nwhile True: sys.stdout.write('x' * 9999 + '\\n')",
    writeFile: (name, content) => `open(${text(name)}, 'w').write(${text(content)})`,
    removeFile: (name) => `import os; os.remove(${text(name)})`,
    write: (pieces, pauseMs) =>
      [
        'import os, time',
        `for stream, data in [${pieces.map(({ stream, bytes }) => `(${descriptor(stream)}, [${[...bytes]}])`)}]:`,
        `    _ = os.write(stream, bytes(data)); time.sleep(${pauseMs / 1_000})`,
      ].join('\n'),
    fail: (message) => `raise KeyError(bytes([${bytesOf(message)}]).decode())`,
    killSelf: 'import os\nos.kill(os.getpid(), 9)',
    setVariable: (name) => `${name} = 7`,
    printIsSet: (name) => `print('yes' if ${text(name)} in globals() else 'no')`,
    startChild: (seconds) => `import subprocess; subprocess.Popen(['sleep', '${seconds}'])`,
    startDaemon: (seconds) =>
      `import subprocess; subprocess.Popen(['sleep', '${seconds}'], start_new_session=True)`,
    ignoreTermination: 'import signal; _ = signal.signal(signal.SIGTERM, signal.SIG_IGN)',
    printEnvironment: (name) => `import os; print(os.environ.get(${text(name)}, 'unset'))`,
    link: (target, name) => `import os; os.symlink(${text(target)}, ${text(name)})`,
    readLine: 'input()',
    connect: (host, port) => `import socket; socket.create_connection((${text(host)}, ${port}), timeout=2)`,
    fork: (count, seconds) =>
      [
        'import os, time',
        'try:',
        `    for _ in range(${count}):`,
        `        if os.fork() == 0: time.sleep(${seconds}); os._exit(0)`,
        'except OSError:',
        "    print('stopped')",
        "print('ended')",
      ].join('\n'),
    fillMemory: (bytes) => `memory = b'x' * ${bytes}\nprint(len(memory))`,
  },
  javascript: {
    print: (line) => `console.log(${text(line)})`,
    exit: (code) => `process.exit(${code})`,
    sleep: (seconds) => `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${seconds * 1000})`,
    flood: "while (true) require('fs').writeSync(1, 'x'.repeat(9999) + '\\n')",
    writeFile: (name, content) => `require('fs').writeFileSync(${text(name)}, ${text(content)})`,
    removeFile: (name) => `require('fs').rmSync(${text(name)})`,
    write: (pieces, pauseMs) =>
      [
        `for (const [stream, data] of [${pieces.map(({ stream, bytes }) => `[${descriptor(stream)}, [${[...bytes]}]]`)}]) {`,
        "  require('fs').writeSync(stream, Buffer.from(data))",
        `  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${pauseMs})`,
        '}',
      ].join('\n'),
    fail: (message) => `throw new Error(Buffer.from([${bytesOf(message)}]).toString())`,
    killSelf: "process.kill(process.pid, 'SIGKILL')\nsetInterval(() => {}, 1000)",
    setVariable: (name) => `globalThis.${name} = 7`,
    printIsSet: (name) => `console.log(${text(name)} in globalThis ? 'yes' : 'no')`,
    startChild: (seconds) =>
      `require('child_process').spawn('sleep', ['${seconds}'], { stdio: 'inherit' }).unref()`,
    startDaemon: (seconds) =>
      `require('child_process').spawn('sleep', ['${seconds}'], { stdio: 'inherit', detached: true }).unref()`,
    ignoreTermination: "process.on('SIGTERM', () => {})",
    printEnvironment: (name) => `console.log(process.env[${text(name)}] ?? 'unset')`,
    link: (target, name) => `require('fs').symlinkSync(${text(target)}, ${text(name)})`,
    readLine: "console.log(require('fs').readFileSync(0, 'utf8').split('\\n')[0] || 'nothing')",
    connect: (host, port) => `require('net').connect(${port}, ${text(host)})`,
    fork: (count, seconds) =>
      [
        "const { spawn } = require('child_process')",
        'let refused = 0',
        `for (let index = 0; index < ${count} && refused === 0; index++) {`,
        `  const child = spawn('sleep', ['${seconds}'], { stdio: 'ignore' }).on('error', () => {})`,
        '  if (child.pid === undefined) refused++',
        '  child.unref()',
        '}',
        "if (refused > 0) console.log('stopped')",
        "console.log('ended')",
      ].join('\n'),
    fillMemory: (bytes) =>
      `const memory = Array.from({ length: 30 }, () => Buffer.alloc(${Math.round(bytes / 30)}, 1))\nconsole.log(memory.length)`,
  },
  sh: {
    print: (line) => `echo '${line}'`,
    exit: (code) => `exit ${code}`,
    sleep: (seconds) => `sleep ${seconds}`,
    flood: 'yes',
    writeFile: (name, content) => `printf %s '${content}' > '${name}'`,
    removeFile: (name) => `rm '${name}'`,
    write: (pieces, pauseMs) =>
      pieces
        .map(
          ({ stream, bytes }) => `printf '${octal(bytes)}' >&${descriptor(stream)}; sleep ${pauseMs / 1_000}`,
        )
        .join('\n'),
    fail: (message) => `printf '${octal(Buffer.from(message))}' >&2; exit 1`,
    killSelf: 'kill -9 $$',
    setVariable: (name) => `${name}=7`,
    printIsSet: (name) => `[ -n "\${${name}:-}" ] && echo yes || echo no`,
    startChild: (seconds) => `sleep ${seconds} &`,
    startDaemon: (seconds) => `setsid sleep ${seconds} &`,
    ignoreTermination: "trap '' TERM",
    printEnvironment: (name) => `echo "\${${name}:-unset}"`,
    link: (target, name) => `ln -s '${target}' '${name}'`,
    readLine: 'read -r line && echo "$line" || echo nothing',
    fork: (count, seconds) =>
      [
        'count=0',
        `while [ $count -lt ${count} ]; do sleep ${seconds} & count=$((count + 1)); done`,
        'echo ended',
      ].join('\n'),
  },
}

/** Numbers, so that the text itself is not in the program. */
function bytesOf(message: string): number[] {
  return [...Buffer.from(message)]
}

function octal(bytes: Uint8Array): string {
  return [...bytes].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')
}

function descriptor(stream: OutputPiece['stream']): 1 | 2 {
  return stream === 'stdout' ? 1 : 2
}
