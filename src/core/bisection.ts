/**
 * The largest value below `tooMuch` that fits, by bisection. Zero must fit, and every value below a fitting one must
 * fit.
 */
export function largestValueBelow(tooMuch: bigint, fits: (value: bigint) => boolean): bigint {
  let [low, high] = [0n, tooMuch]
  while (high - low > 1n) {
    const middle = (low + high) / 2n
    if (fits(middle)) low = middle
    else high = middle
  }
  return low
}
