// Every file of every package imports this first, and it imports nothing: an older Node reports this error and not a
// failure in a dependency.

// A browser, where `@fenced/errors/text` runs too, has no process.
const node = globalThis.process?.versions?.node
const [major = 0, minor = 0] = node?.split('.').map(Number) ?? []
if (node !== undefined && (major < 22 || (major === 22 && minor < 18))) {
  const error = new Error(
    `Fenced needs Node 22.18 or newer; this is Node ${node}, at ${process.execPath}. Install a newer one (https://nodejs.org) and run your program with it.`,
  )
  throw Object.assign(error, { code: 'NODE_TOO_OLD', data: { node, path: process.execPath } })
}

export {}
