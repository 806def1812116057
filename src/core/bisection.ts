/** The largest value below `tooMuch` that fits, by bisection: zero fits, and whatever is smaller than what fits does too. */
export function mostBelow(tooMuch: bigint, fits: (value: bigint) => boolean): bigint {
  let [low, high] = [0n, tooMuch]
  while (high - low > 1n) {
    const middle = (low + high) / 2n
    if (fits(middle)) low = middle
    else high = middle
  }
  return low
}
