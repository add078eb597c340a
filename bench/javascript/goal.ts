/** As a share of a bare start: at least three times as fast. */
export const goal = 0.33
