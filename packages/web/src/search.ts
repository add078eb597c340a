import type { DatabaseSync } from 'node:sqlite'

/** A conversation that contains a text. */
export interface FoundConversation {
  readonly id: string
  /** The text around the first occurrence, in one line. Empty if only the title contains the text. */
  readonly excerpt: string
}

const maxFound = 100
const charactersBefore = 30
const excerptLength = 120

/** Answers are logged in pieces, so their text is joined before it is searched. */
const query = `
  WITH texts AS (
    SELECT conversation, seq, coalesce(json_extract(event, '$.content'), '') AS text
      FROM events WHERE type IN ('message', 'document')
    UNION ALL
    SELECT conversation, min(seq), group_concat(json_extract(event, '$.text'), '' ORDER BY seq)
      FROM events WHERE type = 'text-delta' GROUP BY conversation, json_extract(event, '$.answerId')
  ), found AS (
    SELECT conversation, substr(text, max(1, instr(lower(text), lower(?1)) - ${charactersBefore}), ${excerptLength}) AS excerpt,
      row_number() OVER (PARTITION BY conversation ORDER BY seq) AS position
    FROM texts WHERE instr(lower(text), lower(?1)) > 0
  )
  SELECT id, coalesce(excerpt, '') AS excerpt FROM conversations
    LEFT JOIN found ON conversation = id AND position = 1
    WHERE excerpt IS NOT NULL OR instr(lower(title), lower(?1)) > 0
    ORDER BY updatedAt DESC LIMIT ${maxFound}`

/**
 * Finds the conversations whose title, messages, documents or answers contain a text, the latest first. The case of ASCII letters
 * is ignored.
 */
export function searchConversations(database: DatabaseSync, text: string): FoundConversation[] {
  return database
    .prepare(query)
    .all(text)
    .map(({ id, excerpt }) => ({ id: String(id), excerpt: String(excerpt).replaceAll(/\s+/g, ' ').trim() }))
}
