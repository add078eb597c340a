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
  CREATE TABLE IF NOT EXISTS states (
    conversation TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    seq INTEGER NOT NULL, isDone INTEGER NOT NULL, state TEXT NOT NULL,
    PRIMARY KEY (conversation, seq)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS decisions (
    id TEXT NOT NULL, step TEXT NOT NULL, entry TEXT NOT NULL, PRIMARY KEY (id, step)
  ) STRICT, WITHOUT ROWID;
`

/** Format 2 had no states: what a model remembers is read from the events up to here. */
const fromFormat2 =
  "INSERT INTO states SELECT conversation, max(seq), 0, '' FROM events GROUP BY conversation"

/** Grows with every change of the tables or the events. */
const format = 3

/**
 * Opens the database of the conversations in a directory, and creates it if it does not exist. Converts one of format 2.
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
    const found = foundFormat(database)
    if (found !== undefined && found !== format && found !== 2) throw otherFormat(directory, found)
    const check = database.prepare('PRAGMA quick_check(1)').get()?.quick_check
    if (check !== 'ok') throw damaged(path, String(check))
    const migration = found === 2 ? fromFormat2 : ''
    database.exec(`BEGIN; ${tables} ${migration}; PRAGMA user_version = ${format}; COMMIT`)
    return database
  } catch (error) {
    database.close()
    throw isDamage(error) ? damaged(path, errorMessage(error)) : error
  }
}

/** The format of a database; `undefined` for a new one. */
function foundFormat(database: DatabaseSync): number | undefined {
  const isNew = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'events'").get() === undefined
  return isNew ? undefined : Number(database.prepare('PRAGMA user_version').get()?.user_version)
}

function otherFormat(directory: string, found: number): FencedError {
  return new FencedError({
    code: 'CONVERSATIONS_OF_ANOTHER_VERSION',
    message: `The conversations in ${directory} were written by another version of @fenced/web (their format is ${found}, but this version reads ${format} and converts 2). Nothing was changed. Use another directory, or use that version.`,
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
