/** How often what is random is tried: `FENCED_TEST_ROUNDS`, 1 in a usual run; with more, each test tries more of it. */
export const rounds = Math.max(1, Number(process.env.FENCED_TEST_ROUNDS ?? 1))
