import plotScript from 'uplot/dist/uPlot.iife.min.js' with { type: 'text' }
import plotStyle from 'uplot/dist/uPlot.min.css' with { type: 'text' }
import { FIGURES } from '../../contract/venue/evaluation.ts'
import {
  type Comparison,
  INTERVAL_NAME,
  intervalText,
  shownFigures,
  shownNumber,
} from './compare.ts'
import pageStyle from './report.css' with { type: 'text' }
import pageScript from './report-page.js' with { type: 'text' }
import type { EvaluationResult, RunFile } from './result.ts'

/**
 * The plots use the browser's number formats. With the POSIX locale, a browser reports a language that the number
 * formats refuse, so the page replaces the language.
 */
const KNOWN_LANGUAGE =
  "try{new Intl.NumberFormat(navigator.language)}catch{Object.defineProperty(navigator,'language',{value:'en'})}"

/** A self-contained page with the curves and figures of one or two agents. */
export function reportPage(results: readonly EvaluationResult[], comparison?: Comparison): string {
  const [first] = results
  const title = `${first?.evaluation ?? ''}: ${results.map(({ agent }) => agent).join(' and ')}`
  const curves = results.map(({ agent, runs }) => ({ agent, runs: runs.map(curveData) }))
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'\">",
    `<title>${escaped(title)}</title><style>${plotStyle}${pageStyle}</style></head><body>`,
    `<h1>${escaped(title)}</h1><div class="agents"></div>`,
    ...results.map(judgementTable),
    ...['Account value, USDC', 'Drawdown, %', 'Exposure over account value'].map(
      (name, at) => `<h2>${name}</h2><div class="curve" data-curve="${at}"></div>`,
    ),
    comparison ? comparisonTable(comparison) : '',
    ...results.flatMap((result) => [
      distributionTable(result),
      runsTable(result),
      secretLine(result),
    ]),
    `<script>const AGENTS=${JSON.stringify(curves).replaceAll('<', '\\u003c')}</script>`,
    `<script>${KNOWN_LANGUAGE}</script><script>${plotScript}</script><script>${pageScript}</script></body></html>\n`,
  ].join('\n')
}

function curveData({ seed, curve }: RunFile): object {
  return { seed, ...curve }
}

function judgementTable({ agent, criteria, isPassed }: EvaluationResult): string {
  if (criteria.length === 0) return ''
  const rows = criteria.map(({ criterion, isMet, missed }) => {
    const where = missed.length > 0 ? `seeds ${missed.join(', ')}` : ''
    return [isMet ? 'met' : 'missed', criterion, where]
  })
  return `<h2>${escaped(agent)}: ${isPassed ? 'passed' : 'failed'}</h2>${table(['', 'criterion', ''], rows)}`
}

function comparisonTable({ agents, differences, pairs }: Comparison): string {
  const rows = differences.map(({ figure, one, other, difference, p }) => [
    figure,
    ...[one, other, difference].map(shownNumber),
    p.toFixed(3),
  ])
  return `<h2>${pairs} pairs</h2>${table(['figure', ...agents, 'difference', 'p'], rows)}`
}

function distributionTable({ agent, runs, distributions }: EvaluationResult): string {
  const rows = shownFigures(runs).map((name) => {
    const found = distributions[name]
    const { mean, deviation, least, quarter, median, threeQuarters, most } = found ?? {}
    const numbers = [mean, deviation, least, quarter, median, threeQuarters, most].map(shownNumber)
    return [name, FIGURES[name].unit, ...numbers, FIGURES[name].meaning]
  })
  const head = [
    'figure',
    'unit',
    'mean',
    'deviation',
    'least',
    '25 %',
    'median',
    '75 %',
    'most',
    '',
  ]
  return `<h2>${escaped(agent)}</h2>${table(head, rows)}`
}

function secretLine({ agent, secret }: EvaluationResult): string {
  return secret === undefined ? '' : `<p>${escaped(`${agent}: secret of the seeds ${secret}`)}</p>`
}

/** The table of the runs, one row per seed. The Sharpe and Sortino ratios have an interval each, if known. */
function runsTable({ agent, runs }: EvaluationResult): string {
  const known = shownFigures(runs)
  const ratios = (['sharpe', 'sortino'] as const).filter(
    (ratio) => known.includes(ratio) || runs.some(({ intervals }) => intervals[ratio]),
  )
  const rows = runs.map(({ seed, outcome = '', figures, intervals }) => [
    ...[String(seed), outcome.replaceAll('_', ' ')],
    ...[figures['return'], figures['maxDrawdown']].map(shownNumber),
    ...ratios.flatMap((ratio) => [shownNumber(figures[ratio]), intervalText(intervals[ratio])]),
    '',
  ])
  const head = [
    ...['seed', 'ended', 'return', 'maxDrawdown'],
    ...ratios.flatMap((ratio) => [ratio, INTERVAL_NAME]),
    '',
  ]
  return `<h2>${escaped(agent)}: seeds</h2>${table(head, rows)}`
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[], kind: 'td' | 'th') =>
    `<tr>${cells.map((cell) => `<${kind}>${escaped(cell)}</${kind}>`).join('')}</tr>`
  return `<div class="wide"><table>${row(head, 'th')}${rows.map((cells) => row(cells, 'td')).join('')}</table></div>`
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
}
