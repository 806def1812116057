import { createCandleChart } from './candle-chart.ts'
import { createDepthChart } from './depth-chart.ts'

/** What paints: loaded beside the rest, so that markets need not wait for it. */
export const CHARTS = { createCandleChart, createDepthChart } as const
