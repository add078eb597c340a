// Sends Markdown with code. Prints whether output arrived while the program ran, and all output.
const body = '~~~python\nimport time\nfor n in (1, 2, 3):\n    print(n)\n    time.sleep(0.3)\n~~~'
const answer = await fetch(`${process.argv[2]}/run`, { method: 'POST', body })
if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
let isStreamed = false
let output = ''
for await (const text of answer.body.pipeThrough(new TextDecoderStream())) {
  output += text
  if (!output.includes('3')) isStreamed = true
}
console.log(isStreamed ? 'streamed' : 'not streamed')
console.log(output.trimEnd())
