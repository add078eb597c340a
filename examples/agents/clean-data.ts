// Data that is cleaned step by step. A step that removes too much is undone: the table and its file are as before.
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'

const executor = new LocalCommandLineCodeExecutor({ isolation: 'bubblewrap', stateful: true })
async function step(code: string): Promise<number> {
  const { output } = await executor.execute([{ language: 'python', code: `${code}\nprint(len(rows))` }])
  return Number(output)
}
try {
  const save = 'import json\njson.dump(rows, open("rows.json", "w"))'
  const loaded = await step(`rows = [{"age": age} for age in (31, -1, 45, 210, 28)]\n${save}`)
  await executor.session?.checkpoint('loaded')
  const left = await step(`rows = [row for row in rows if row["age"] < 30]\n${save}`)
  console.log(`${loaded} rows, ${left} after the first try`)
  if (left < loaded / 2) await executor.session?.undo()
  console.log(`${await step(`rows = [row for row in rows if 0 <= row["age"] < 120]\n${save}`)} rows`)
  await executor.session?.restore('loaded')
  console.log(`${await step('import json\nrows = json.load(open("rows.json"))')} rows in the file of before`)
} finally {
  await executor.stop()
}
