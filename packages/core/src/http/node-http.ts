/** Node's module `http`. Its import as an ES module also loads all of undici, which takes twice as long as Node's own start. */
export function nodeHttp(): typeof import('node:http') {
  return process.getBuiltinModule('node:http')
}
