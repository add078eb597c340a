/** Three digits say enough, and nothing is said below a ten-thousandth. */
export function threeDigits(figure: number): string {
  if (figure >= 100) return figure.toFixed(0)
  return figure >= 0.1 ? figure.toPrecision(3) : figure.toFixed(4)
}
