/** A transcript without what is different each time, on another machine, and in another version of Python. */
export function comparable(stdout: string): string {
  return stdout
    .replaceAll(/\S*\/fenced-demo-\w{6}(?=[/\s])/g, 'DIRECTORY')
    .replaceAll(/\(\d+\.\d kB\)/g, '(SIZE)')
    .replaceAll(/^ {2}! +[~^]+\n/gm, '')
    .replaceAll(/(?<=Previous line repeated )\d+/g, 'SO MANY')
    .replaceAll(/(?<=RecursionError: maximum recursion depth exceeded).*/g, '')
    .replaceAll(/^[\d,]+ tokens in, [\d,]+ out$/gm, 'TOKENS')
    .replaceAll(/ +[\d.]+ m?s(?= {2}created| \||$)/gm, ' DURATION')
}
