/** One value per candle; null before there are enough candles. */
export type IndicatorValues = readonly (number | null)[]

/** The mean of the last `period` values. */
export function sma(values: readonly number[], period: number): IndicatorValues {
  let sum = 0
  return values.map((value, at) => {
    sum += value - (at >= period ? (values[at - period] ?? 0) : 0)
    return at < period - 1 ? null : sum / period
  })
}

/** The exponential moving average, which starts with the mean of the first `period` values. */
export function ema(values: readonly number[], period: number): IndicatorValues {
  return smoothed(values, period, 2 / (period + 1))
}

/** An exponential average: each value moves the average by `share` of the distance between value and average. */
function smoothed(values: readonly number[], period: number, share: number): IndicatorValues {
  let [mean, sum] = [0, 0]
  return values.map((value, at) => {
    if (at < period) {
      sum += value
      mean = sum / period
      return at === period - 1 ? mean : null
    }
    mean += share * (value - mean)
    return mean
  })
}

/** The mean of the last `period` values, and bands at a number of standard deviations around it. */
export function bollinger(values: readonly number[], period: number, deviations: number) {
  const middle = sma(values, period)
  const band = (sign: 1 | -1): IndicatorValues =>
    middle.map((mean, at) => {
      if (mean === null) return null
      const last = values.slice(at - period + 1, at + 1)
      const variance = last.reduce((sum, value) => sum + (value - mean) ** 2, 0) / period
      return mean + sign * deviations * Math.sqrt(variance)
    })
  return { middle, upper: band(1), lower: band(-1) }
}

/** Wilder's relative strength index, from 0 to 100. */
export function rsi(values: readonly number[], period: number): IndicatorValues {
  const changes = values.slice(1).map((value, at) => value - (values[at] ?? value))
  const gains = smoothed(
    changes.map((change) => Math.max(0, change)),
    period,
    1 / period,
  )
  const losses = smoothed(
    changes.map((change) => Math.max(0, -change)),
    period,
    1 / period,
  )
  const index = gains.map((gain, at) => {
    const loss = losses[at] ?? 0
    if (gain === null) return null
    return gain + loss === 0 ? 50 : (100 * gain) / (gain + loss)
  })
  return values.length === 0 ? [] : [null, ...index]
}

/**
 * MACD: the difference of a fast and a slow exponential average (`line`), its exponential average (`signal`), and
 * `line` − `signal`.
 */
export function macd(values: readonly number[], fast: number, slow: number, period: number) {
  const [quick, calm] = [ema(values, fast), ema(values, slow)]
  const line = quick.map((value, at) => difference(value, calm[at]))
  const known = line.filter((value) => value !== null)
  const early = Array.from({ length: line.length - known.length }, () => null)
  const signal: IndicatorValues = [...early, ...ema(known, period)]
  return { line, signal, histogram: line.map((value, at) => difference(value, signal[at])) }
}

function difference(one: number | null | undefined, other: number | null | undefined) {
  return typeof one === 'number' && typeof other === 'number' ? one - other : null
}
