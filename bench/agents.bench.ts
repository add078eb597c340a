import { cannedChats } from './agents/canned-chats.ts'
import { answer, answerWithCode } from './agents/canned-texts.ts'
import { PeerChats } from './agents/peer-chats.ts'
import type { Bench } from './arguments.ts'
import { beside } from './beside.ts'
import { type Contender, compare } from './compare.ts'

const short = { text: answer, messages: 100, chats: 16 }
const long = { text: answer, messages: 1_600, chats: 1 }
const longWithCode = { ...long, text: answerWithCode }
const longer = { text: answer, messages: 10_000, chats: 1 }

/** What agents add to every message, in conversations of three lengths, beside AG2 and AutoGen. */
export const agentsBench: Bench = async ({ rounds, ag2: ag2Python, autogen: autogenPython }) => {
  if (ag2Python === undefined) console.error('Without AG2; --ag2 names a Python that has it.')
  if (autogenPython === undefined) console.error('Without AutoGen; --autogen names a Python that has it.')
  await using stack = new AsyncDisposableStack()
  const contenders: Record<string, Contender> = {
    // As many messages of all lengths: the next collection of garbage is as near.
    short: () => cannedChats({ ...short, chats: 200 }),
    long: () => cannedChats({ ...long, chats: 12 }),
    longRead: () => cannedChats({ ...long, chats: 12 }, { iterated: true }),
    longWithCode: () => cannedChats({ ...longWithCode, chats: 12 }),
    longer: () => cannedChats({ ...longer, chats: 2 }),
  }
  if (ag2Python !== undefined) {
    const ag2 = stack.use(await PeerChats.open(ag2Python, new URL('./agents/ag2-chats.py', import.meta.url)))
    contenders.ag2Short = () => ag2.converse(short)
    contenders.ag2Long = () => ag2.converse(long)
    contenders.ag2LongWithCode = () => ag2.converse(longWithCode)
  }
  if (autogenPython !== undefined) {
    const program = new URL('./agents/autogen-chats.py', import.meta.url)
    const autogen = stack.use(await PeerChats.open(autogenPython, program))
    contenders.autogenShort = () => autogen.converse(short)
    contenders.autogenLong = () => autogen.converse(long)
  }
  const times = await compare({ rounds: rounds ?? 10, warmUpRounds: 2, contenders })
  const rows = [
    { measured: 'a message of 100 ÷ AG2', ours: times.short, reference: times.ag2Short, goal: 0.5 },
    { measured: 'a message of 1,600 ÷ AG2', ours: times.long, reference: times.ag2Long, goal: 0.5 },
    {
      measured: 'a message of 1,600, whose events are read ÷ AG2',
      ours: times.longRead,
      reference: times.ag2Long,
    },
    {
      measured: 'a message of 1,600, with code in every other one ÷ AG2',
      ours: times.longWithCode,
      reference: times.ag2LongWithCode,
      goal: 0.5,
    },
    { measured: 'a message of 100 ÷ AutoGen', ours: times.short, reference: times.autogenShort },
    { measured: 'a message of 1,600 ÷ AutoGen', ours: times.long, reference: times.autogenLong },
    { measured: 'a message of 10,000 ÷ one of 100', ours: times.longer, reference: times.short, goal: 1.3 },
  ]
  return rows.flatMap(beside)
}
