/** A time to sleep, longer than any test, whose number is on no other command line of this machine. */
export function uniqueSeconds(): number {
  return Number(`7701.${Math.floor(100_000 + Math.random() * 899_999)}7`)
}
