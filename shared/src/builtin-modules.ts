/*
 * Modules of Node that are loaded when they are needed. Their import as ES modules makes everything that they export: all of undici with
 * `http`, and every root certificate with `tls`. Each takes about as long as Node's own start.
 */

export function nodeHttp(): typeof import('node:http') {
  return process.getBuiltinModule('node:http')
}

export function nodeTls(): typeof import('node:tls') {
  return process.getBuiltinModule('node:tls')
}
