/**
 * Calls `act` each time that Ctrl-C is pressed, until it is disposed of. The terminal hands every key to this process meanwhile: as
 * a signal Ctrl-C would reach pnpm as well, which passes it on a second time and then leaves.
 */
export function onInterruptKey(terminal: NodeJS.ReadStream, act: () => void): Disposable {
  const onData = (chunk: Buffer | string) => {
    for (const key of chunk.toString()) if (key === interrupt) act()
  }
  // A terminal that was closed cannot be given back.
  const onError = () => {}
  terminal.on('error', onError)
  terminal.on('data', onData)
  terminal.setRawMode(true)
  return {
    [Symbol.dispose]() {
      terminal.off('data', onData)
      terminal.setRawMode(false)
      terminal.pause()
      terminal.off('error', onError)
    },
  }
}

const interrupt = '\x03'
