/** How many states of agents a conversation keeps, and of what length together, in characters. The newest is always kept. */
const keptStates = 20
const keptStatesLength = 16 * 1024 * 1024

const columns = 'id, title, executor, model, packages, createdAt, updatedAt, isWorking'

/** What is read from the database and written there. */
export const statements = {
  create:
    'INSERT INTO conversations (id, title, executor, model, packages, createdAt, updatedAt) VALUES (?, ?, ?, ?, ?, ?, ?)',
  list: `SELECT ${columns} FROM conversations ORDER BY updatedAt DESC, createdAt DESC`,
  find: `SELECT ${columns} FROM conversations WHERE id = ?`,
  rename: 'UPDATE conversations SET title = ? WHERE id = ?',
  delete: 'DELETE FROM conversations WHERE id = ?',
  working: 'UPDATE conversations SET isWorking = ?, updatedAt = ? WHERE id = ?',
  // A conversation that was deleted gets no more.
  append: `INSERT INTO events (conversation, seq, createdAt, type, event)
    SELECT id, (SELECT coalesce(max(seq), 0) + 1 FROM events WHERE conversation = id), ?2, ?3, ?4
    FROM conversations WHERE id = ?1`,
  last: 'SELECT max(seq) AS seq FROM events WHERE conversation = ?',
  read: 'SELECT seq, createdAt, event FROM events WHERE conversation = ? AND seq > ? ORDER BY seq',
  readOutline:
    "SELECT seq, createdAt, event FROM events WHERE conversation = ? AND seq > ? AND type <> 'code' ORDER BY seq",
  saveState: `INSERT OR REPLACE INTO states (conversation, seq, isDone, state)
    SELECT conversation, max(seq), ?2, ?3 FROM events WHERE conversation = ?1 GROUP BY conversation`,
  // One state is kept for each of the last messages of a person, for branches. A branch without one begins with the events.
  dropStates: `DELETE FROM states WHERE conversation = ?1 AND state <> '' AND (
    seq > coalesce((SELECT seq FROM events WHERE conversation = ?1 AND type = 'message' ORDER BY seq DESC LIMIT 1), 0)
    OR seq NOT IN (SELECT seq FROM (
      SELECT seq, row_number() OVER newest AS place, sum(length(state)) OVER newest AS total
      FROM states WHERE conversation = ?1 WINDOW newest AS (ORDER BY seq DESC)
    ) WHERE place <= ${keptStates} AND total <= ${keptStatesLength}))`,
  readState: `SELECT seq, isDone, state FROM states WHERE conversation = ?1 AND (seq <= ?2 OR state = '')
    ORDER BY seq <= ?2 DESC, seq DESC LIMIT 1`,
} as const
