type Aim = {
  readonly what: string
  readonly unit: '' | '×' | 'us' | 'ms' | 'MB' | 'kB'
  /** One of the two: what the figure is to reach, or not to pass. */
  readonly least?: number
  readonly most?: number
  /** What an experiment found to be in the way of the aim. */
  readonly limit?: string
}

// biome-ignore format: one aim a row
const AIMS = {
  smallOfBare: { what: 'Requests per second, small cached read ÷ a minimal Bun server', unit: '×', least: 0.85, limit: 'a script with only the necessary work (address, id, headers) reaches 0.61 to 0.74' },
  smallOfNginx: { what: 'Requests per second, small cached read ÷ nginx with the body in its cache', unit: '×', least: 1.35, limit: 'the minimal server itself reaches 1.7' },
  realOfBare: { what: 'The same with 13 headers, Origin and a trusted proxy ÷ the minimal Bun server', unit: '×', least: 0.65 },
  realOfNginx: { what: 'The same with 13 headers, Origin and a trusted proxy ÷ nginx with the body in its cache', unit: '×', least: 1.1 },
  plainOfBare: { what: 'Requests per second, cached read of 22 kB, uncompressed ÷ the minimal Bun server', unit: '×', least: 0.9 },
  plainOfNginx: { what: 'Requests per second, cached read of 22 kB, uncompressed ÷ nginx with the body in its cache', unit: '×', least: 1.15 },
  gzipOfNginx: { what: 'Requests per second, cached read of 22 kB, gzip ÷ nginx with the compressed body in its cache', unit: '×', least: 1.15 },
  relayRead: { what: 'Relayed read: added median latency ÷ the latency that nginx adds', unit: '×', most: 2.4 },
  relayWrite: { what: 'Relayed write: added median latency ÷ the latency that nginx adds', unit: '×', most: 2.7, limit: 'a proxy that verifies and commits one row adds 3.4 times what nginx adds' },
  farWrite: { what: 'Over TLS with 20 ms network latency: time of a relayed write ÷ time of a relayed read', unit: '×', most: 1.1 },
  book: { what: 'Processor time per order book from a live venue', unit: 'us', most: 250, limit: 'a proxy that only parses and writes the book takes 320 us' },
  candles: { what: 'Processor time per answer with 500 candles from a live venue', unit: 'us', most: 800 },
  start: { what: 'Time from process start to first answer', unit: 'ms', most: 120 },
  agentStart: { what: 'MCP over stdio, time from start to tools/list: official SDK on Node.js ÷ prepd', unit: '×', least: 10 },
  memoryLoaded: { what: 'Memory with a live venue, after one call of each route', unit: 'MB', most: 70 },
  memoryFirst: { what: 'Memory with the embedded venue, after the start', unit: 'MB', most: 130 },
  memoryAfter: { what: 'Maximum memory during ten million requests', unit: 'MB', most: 150 },
  diskOfWrite: { what: 'Bytes written to the disk per relayed write', unit: 'kB', most: 5 },
  diskOfMiss: { what: 'Bytes written to the disk per answer that is loaded into the cache', unit: 'kB', most: 2 },
  callers: { what: 'Requests per second, small cached read: a million callers ÷ one caller', unit: '×', least: 0.9 },
  kept: { what: 'Requests per second, small cached read: 100,000 cached answers ÷ one cached answer', unit: '×', least: 0.9 },
  sharedMany: { what: 'Processor time per cached read, 1,000 callers: PostgreSQL and Valkey ÷ SQLite', unit: '×', most: 1.35 },
  sharedFew: { what: 'Processor time per cached read, 10 callers: PostgreSQL and Valkey ÷ SQLite', unit: '×', most: 1.1 },
  sharedWrite: { what: 'Relayed write: median latency with PostgreSQL and Valkey − with SQLite', unit: 'ms', most: 1 },
  twoReads: { what: 'Cached reads per second: two instances ÷ one instance, each with a quarter of a core', unit: '×', least: 1.7 },
  twoWrites: { what: 'Relayed writes per second: two instances ÷ one instance, each with a quarter of a core', unit: '×', least: 1.7 },
  stall: { what: 'Longest wait for a cached read while the embedded venue simulates a day', unit: 'ms', most: 10 },
} as const satisfies Record<string, Aim>

type AimName = keyof typeof AIMS

const figures = new Map<AimName, number>()

/** Notes what an aim's figure came to. */
export function note(name: AimName, figure: number): void {
  figures.set(name, figure)
}

/** The page of figures as Markdown: what was measured, where, beside each aim. A figure that falls short is marked ○. */
export function benchmarkPage(where: string): string {
  return [
    '# Benchmark',
    `\`npm run bench\` wrote this page (${where}). The server has one core. Each figure is the median of several rounds; ○ marks a missed aim. ÷ compares two measurements of the same kind.`,
    [
      '| Measurement | Result | Aim | Obstacle |',
      '| --- | --- | --- | --- |',
      ...names().map(rowOf),
    ].join('\n'),
  ]
    .join('\n\n')
    .concat('\n')
}

function names(): AimName[] {
  return Object.keys(AIMS).filter((name): name is AimName => Object.hasOwn(AIMS, name))
}

function rowOf(name: AimName): string {
  const { what, unit, limit = '', ...aim }: Aim = AIMS[name]
  const figure = figures.get(name)
  const bound = aim.least === undefined ? `≤ ${aim.most}` : `≥ ${aim.least}`
  const mark = isShort(aim, figure) ? ' ○' : ''
  const measured = figure === undefined ? 'not measured' : `${rounded(figure)} ${unit}`.trim()
  return `| ${what} | ${measured}${mark} | ${`${bound} ${unit}`.trim()} | ${mark && limit} |`
}

function isShort(
  { least, most }: Pick<Aim, 'least' | 'most'>,
  figure: number | undefined,
): boolean {
  if (figure === undefined) return true
  return (least !== undefined && figure < least) || (most !== undefined && figure > most)
}

function rounded(figure: number): string {
  return figure < 100
    ? String(Number(figure.toPrecision(3)))
    : Math.round(figure).toLocaleString('en')
}
