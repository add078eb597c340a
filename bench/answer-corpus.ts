/**
 * Answers as models write them, up to a size in characters: prose, lists, quotes, tables and code in several
 * languages. The same texts each time.
 */
export function answerCorpus(size: number): readonly string[] {
  const answers: string[] = []
  for (let length = 0, index = 0; length < size; index++) {
    const answer = answerAt(index)
    answers.push(answer)
    length += answer.length
  }
  return answers
}

/** Parts in an order that changes from answer to answer. */
function answerAt(index: number): string {
  const chosen = parts.map((_, place) => parts[(index * 5 + place * 7) % parts.length]?.(index) ?? '')
  return `## Step ${index + 1}: ${subjects[index % subjects.length]}\n\n${chosen.join('\n\n')}\n`
}

const subjects = [
  'reading the measurements',
  'cleaning up the *time series*',
  'a first plot of `demand`',
  'what the model gets wrong',
  'checking it against last year',
]

const fence = '```'

const parts: ReadonlyArray<(index: number) => string> = [
  (
    index,
  ) => `First we read the file and look at the **${index + 3} columns** that matter. The rest of it (identifiers,
free text, a checksum) is left alone: it does not change the result, and [the format](https://example.org/format#v${index})
says nothing about it. If \`pandas\` is not installed, see the note below; nothing here needs more than a few megabytes.`,

  (index) => `${fence}python
import csv
from collections import defaultdict

totals = defaultdict(float)
with open("demand-${index}.csv", newline="") as file:
    for row in csv.DictReader(file):
        # A missing value is an empty string, not a zero.
        if row["demand"]:
            totals[row["region"]] += float(row["demand"])

for region, total in sorted(totals.items()):
    print(f"{region:>12} {total:10.2f}")
${fence}`,

  (index) => `1. Make a directory for the results:

   ${fence}sh
   mkdir -p results/${index} && cd results/${index}
   ls -la | head -n 5
   ${fence}

2. Write down what you expect *before* you look:
   - the total is between 10 and 20,
   - no region is negative:

     ${fence}py
     assert all(total >= 0 for total in totals.values()), "negative demand"
     ${fence}

3. Then compare.`,

  (index) => `> **Note.** The same works without Python. In the browser's console:
>
> ${fence}js
> const rows = document.querySelectorAll('table tr')
> console.log([...rows].map((row) => row.cells[${index % 4}]?.textContent))
> ${fence}
>
> It is slower, but who counts?`,

  (index) => `| region | total | change |
|--------|------:|-------:|
| north  | ${(index * 37) % 101}.4 | +2 % |
| south  | ${(index * 53) % 97}.1 | -1 % |

It prints something like this:

${fence}
       north      ${(index * 37) % 101}.40
       south      ${(index * 53) % 97}.10
${fence}`,

  (index) => `For your README, with the fences as they are:

${fence}\`markdown
# Demand, part ${index}

Run it:

${fence}bash
python totals.py
${fence}
${fence}\``,

  () => `The settings are data, so keep them apart from the program:

~~~json
{ "regions": ["north", "south"], "unit": "GWh", "limits": { "low": 10, "high": 20 } }
~~~

Each key has a meaning: \`unit\` is what the *file* uses, and \`limits\` is what **you** expect. A value beyond them is
not an error; it is a question. Ask it early, because every later step takes the answer for granted.`,

  (index) => `${fence}typescript
interface Total { readonly region: string; readonly total: number }

export function largest(totals: readonly Total[]): Total | undefined {
  return totals.toSorted((a, b) => b.total - a.total)[${index % 3}]
}
${fence}

That is all. Tell me what it prints, and we go on from there!`,
]
