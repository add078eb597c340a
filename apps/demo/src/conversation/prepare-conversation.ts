import type { Activity } from '../activity.ts'
import type { Arguments } from '../command-line/arguments.ts'
import { chooseModel } from '../model/choose-model.ts'
import { readTask } from '../script/part.ts'
import { chooseScriptedModel } from '../script/scripted-model.ts'
import { converse } from './converse.ts'
import { endedWell } from './ended-well.ts'
import { introduce } from './introduce.ts'
import { nameFiles } from './name-files.ts'

/** Chooses a model; then it can be given the task. */
export function prepareConversation({
  task,
  model: name,
  yes,
}: Pick<Arguments, 'task' | 'model' | 'yes'>): Activity {
  const { stdin, stdout } = process
  const isWatched = stdout.isTTY === true
  const asks = !yes && isWatched && stdin.isTTY === true
  const real = name === undefined ? undefined : chooseModel(name, process.env)
  return async ({ executor, facts, stop }) => {
    const { signal } = stop
    const { model, words, remark } = real ?? (await chooseScriptedModel(executor, { isWatched, signal }))
    // A place that was stopped meanwhile only says that it runs nothing.
    signal.throwIfAborted()
    introduce({ words, facts, remark, asks }, stdout)
    const message = task ?? (await readTask())
    try {
      return endedWell(await converse({ task: message, model, executor, asks, stop }))
    } finally {
      await nameFiles(executor.workDir, stdout)
    }
  }
}
