import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { FencedError } from '@fenced/core'
import { errorMessage } from '@fenced/errors'

const tables = `
  CREATE TABLE IF NOT EXISTS conversations (
    id TEXT PRIMARY KEY, title TEXT NOT NULL, executor TEXT NOT NULL, model TEXT NOT NULL,
    packages TEXT NOT NULL,
    createdAt INTEGER NOT NULL, updatedAt INTEGER NOT NULL, isWorking INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE TABLE IF NOT EXISTS events (
    conversation TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    seq INTEGER NOT NULL, createdAt TEXT NOT NULL, type TEXT NOT NULL, event TEXT NOT NULL,
    PRIMARY KEY (conversation, seq)
  ) STRICT, WITHOUT ROWID;
`

/** Grows with every change of the tables or the events. */
const format = 2

/**
 * Opens the database of the conversations in a directory, and creates it if it does not exist.
 *
 * @throws FencedError `CONVERSATIONS_OF_ANOTHER_VERSION`, `CONVERSATIONS_DAMAGED`.
 */
export function openDatabase(directory: string): DatabaseSync {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const path = join(directory, 'conversations.sqlite')
  // SQLite takes an empty file for a new database.
  if (isEmptyFile(path) && hasEntries(join(directory, 'files'))) throw damaged(path, 'the file is empty')
  // An older Node, without this module, must first read that it is too old.
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
  const database = new DatabaseSync(path)
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
    requireFormat(database, directory)
    const found = database.prepare('PRAGMA quick_check(1)').get()?.quick_check
    if (found !== 'ok') throw damaged(path, String(found))
    database.exec(tables)
    database.exec(`PRAGMA user_version = ${format}`)
    return database
  } catch (error) {
    database.close()
    throw isDamage(error) ? damaged(path, errorMessage(error)) : error
  }
}

function requireFormat(database: DatabaseSync, directory: string): void {
  const isNew = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'events'").get() === undefined
  const found = database.prepare('PRAGMA user_version').get()?.user_version
  if (isNew || found === format) return
  throw new FencedError({
    code: 'CONVERSATIONS_OF_ANOTHER_VERSION',
    message: `The conversations in ${directory} were written by another version of @fenced/web (their format is ${found}, but this version reads ${format}). Nothing was changed. Use another directory, or use that version.`,
    data: { path: directory, version: `${found}`, supportedVersion: `${format}` },
  })
}

/** SQLITE_CORRUPT and SQLITE_NOTADB. */
function isDamage(error: unknown): boolean {
  return [11, 26].includes(Number(Reflect.get(Object(error), 'errcode')) & 0xff)
}

function isEmptyFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.size === 0
}

function hasEntries(path: string): boolean {
  return existsSync(path) && readdirSync(path).length > 0
}

function damaged(path: string, reason: string): FencedError {
  return new FencedError({
    code: 'CONVERSATIONS_DAMAGED',
    message: `The conversations in ${path} are damaged (${reason}). The files of the conversations still exist. Restore the database from a backup, or move it away to start with no conversations.`,
    data: { path, reason },
  })
}
