/** As long as an answer without code often is. */
export const answer = 'The sum of the first ten prime numbers is 129, as the program has printed. '.repeat(4)

/** The same with a program. */
export const answerWithCode = `${answer}

\`\`\`python
primes = []
candidate = 2
while len(primes) < 10:
    if all(candidate % prime for prime in primes):
        primes.append(candidate)
    candidate += 1
print(sum(primes))
\`\`\`
`
