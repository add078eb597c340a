// Every file of every package imports this first, and it imports nothing: on an older Node these words come, not a
// failure in a dependency.

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 18)) {
  throw new Error(
    `Fenced needs Node 22.18 or newer; this is Node ${process.versions.node}, at ${process.execPath}. Install a newer one (https://nodejs.org) and run your program with it.`,
  )
}

export {}
