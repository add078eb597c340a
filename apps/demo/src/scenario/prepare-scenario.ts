import { approvalChoice, ruleWithoutQuestions } from '../approval/approval-choice.ts'
import type { Command } from '../command.ts'
import type { Arguments } from '../command-line/arguments.ts'
import { nameFiles } from '../executor/name-files.ts'
import { chooseModel } from '../model/choose-model.ts'
import { chooseScriptedModel } from '../script/scripted-model.ts'
import { introduce } from '../terminal/introduce.ts'
import type { Scenario } from './scenario.ts'

/** Chooses a model; then it can be given the task. */
export function prepareScenario(
  { startScript, readTask, rules, run }: Scenario,
  { task, model: name, pictures, approve }: Pick<Arguments, 'task' | 'model' | 'pictures' | 'approve'>,
): Command {
  const { stdout } = process
  const approval = approvalChoice(approve)
  const real = name === undefined ? undefined : chooseModel(name, process.env)
  return async ({ executor, facts, stop }) => {
    const { signal } = stop
    const scripted = { startScript, isWatched: stdout.isTTY === true, signal }
    const { model, words, remark } = real ?? (await chooseScriptedModel(executor, scripted))
    // An executor that was stopped meanwhile only says that it runs nothing.
    signal.throwIfAborted()
    const shownRules = approval === 'ask' ? rules : ruleWithoutQuestions[approval]
    introduce({ words, facts, remark, rules: shownRules }, stdout)
    const message = task ?? (await readTask())
    try {
      return await run({ task: message, model, pictures, executor, approval, stop })
    } finally {
      await nameFiles(executor.workDir, stdout)
    }
  }
}
