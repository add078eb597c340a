import { readFileSync } from 'node:fs'
import { ScriptedModel } from '@fenced/agents/testing'

const read = (name: string) =>
  readFileSync(new URL(`../scripts/${name}.md`, import.meta.url), 'utf8').trimEnd()

export const task = read('task')
export const taskInOneLine = task.replaceAll('\n', ' ')

/** The first program has a mistake. The second one is its repair, and the third one checks the picture. */
const script = ['1-attempt', '2-repair', '3-check', '4-outcome'].map(read)

/** Its last words, if all went well. */
export const outcome = script.at(-1)

/** A model whose words were written in advance. It needs no key and no network, and its programs really run. */
export function scriptedModel({ isTyping }: { readonly isTyping: boolean }): ScriptedModel {
  return new ScriptedModel(
    (_, prompt) =>
      nextLine(prompt.flatMap(({ role, content }) => (role === 'user' ? [textOf(content)] : []))),
    { wordDelayMs: isTyping ? 6 : 0 },
  )
}

function textOf(content: ScriptedModel['prompts'][number][number]['content']): string {
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** @param texts - the messages to the model: the task, then the result of each program, or a person's words. */
export function nextLine([asked = '', ...answers]: readonly string[]): string {
  const stepAfter = (heard: readonly string[]) =>
    heard.reduce((step, answer) => step + Number(endedAsPlanned(answer, step)), 0)
  const step = stepAfter(answers)
  const line = script[step] ?? ''
  const last = answers.at(-1)
  const isTask = asked.replaceAll('\n', ' ').includes(taskInOneLine)
  if (last === undefined) return isTask ? line : `${onlyOneTask}\n\n${line}`
  if (step > stepAfter(answers.slice(0, -1))) return line
  const program = line.slice(line.indexOf('```'))
  const isOver = /^(?:exitcode: |The script )/.test(last) || !program.startsWith('```')
  return isOver ? `${notInTheScript}\n\nTERMINATE` : `${notUnderstood}\n\n${program}`
}

/** The first program fails as it should, and the others succeed. Agents give an output alone, and chats its exit code as well. */
function endedAsPlanned(answer: string, step: number): boolean {
  if (step === 0) return /^(?:exitcode: 1 |The script ran, then exited).*IndexError/s.test(answer)
  const isOutput = (outputs[step] ?? /^$/).test(answer) && !answer.startsWith('The script ')
  return answer.startsWith('exitcode: 0 ') || isOutput
}

/** The ends of what the repaired program and the check print. */
const outputs: Readonly<Record<number, RegExp>> = { 1: /Its path is in collatz\.png\./, 2: /small version:/ }

const onlyOneTask = `I am a script and know only one task: ${taskInOneLine}`
const notUnderstood =
  'I am a script and cannot understand you. A real model can: `fenced chat --model`. Here is my program again:'
const notInTheScript =
  'My script ends here: it does not expect this. A real model would read it and try again: `fenced chat --model`.'
