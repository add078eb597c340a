import { setTimeout } from 'node:timers/promises'

/** What the library and the AI SDK have printed, and promises that nobody handled, while `run` ran. */
export async function unwantedEffectsOf(run: () => Promise<unknown>): Promise<string[]> {
  const effects: string[] = []
  const note = (effect: string) => (value: unknown) => {
    effects.push(`${effect}: ${value}`)
    return true
  }
  const rejection = note('unhandled rejection')
  const warning = note('warning')
  const { stdout, stderr } = process
  const { console: printer } = globalThis
  const originals = { out: stdout.write, err: stderr.write, emitWarning: process.emitWarning }
  const consoles = (['log', 'info', 'warn', 'error', 'debug'] as const).map(
    (name) => [name, printer[name]] as const,
  )
  process.on('unhandledRejection', rejection)
  process.emitWarning = warning as typeof process.emitWarning
  stdout.write = note('stdout') as typeof stdout.write
  stderr.write = note('stderr') as typeof stderr.write
  for (const [name] of consoles) printer[name] = note(`console.${name}`)
  try {
    await run()
    // A rejection counts as unhandled once the queue of promises is empty.
    await setTimeout(20)
  } finally {
    stdout.write = originals.out
    stderr.write = originals.err
    process.emitWarning = originals.emitWarning
    for (const [name, original] of consoles) printer[name] = original
    process.off('unhandledRejection', rejection)
  }
  return effects
}
