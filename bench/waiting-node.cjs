'use strict'

// Required by a Node that starts before there is a program for it. The path of the program comes on stdin. Node is by then
// where it would run the file on its command line, which is not there.

const { Console } = require('node:console')
const { readFileSync } = require('node:fs')
const Module = require('node:module')
const { PassThrough } = require('node:stream')

// What nearly every program does is done once before, so that it is compiled: printing into a pipe, and being loaded.
require('node:net')
new Console(new PassThrough()).log('%s', 1)
new Module('')._compile('', 'any.js')
if (process.argv[1].endsWith('.ts')) new Module('')._compile('let a: 1', 'any.ts', 'commonjs-typescript')

const { runMain } = Module
Object.defineProperty(Module, 'runMain', {
  get() {
    const path = readFileSync(0, 'utf8')
    // Whoever started it has no program for it.
    if (path === '') process.exit()
    process.argv[1] = path
    return () => runMain(path)
  },
})
