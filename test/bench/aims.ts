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
  smallOfBare: { what: 'Small cached read: processor time of a minimal Bun server ÷ of prepd', unit: '×', least: 0.75, limit: 'the system call for the address of the caller, ten answer headers, and the look-up of five request headers take a third of the time' },
  smallOfNginx: { what: 'Small cached read: processor time of nginx with the body in its cache ÷ of prepd', unit: '×', least: 0.85 },
  realOfBare: { what: 'The same with 13 headers, Origin and a trusted proxy: minimal Bun server ÷ prepd', unit: '×', least: 0.65 },
  realOfNginx: { what: 'The same with 13 headers, Origin and a trusted proxy: nginx ÷ prepd', unit: '×', least: 1.1 },
  plainOfBare: { what: 'Cached read of 22 kB, uncompressed: processor time of a minimal Bun server ÷ of prepd', unit: '×', least: 0.75 },
  plainOfNginx: { what: 'Cached read of 22 kB, uncompressed: processor time of nginx with the body in its cache ÷ of prepd', unit: '×', least: 1.15 },
  gzipOfBare: { what: 'Cached read of 22 kB, gzip: processor time of a minimal Bun server ÷ of prepd', unit: '×', least: 0.7 },
  gzipOfNginx: { what: 'Cached read of 22 kB, gzip: processor time of nginx with the compressed body in its cache ÷ of prepd', unit: '×', least: 1.15 },
  relayRead: { what: 'Relayed read: added median latency ÷ the latency that nginx adds', unit: '×', most: 2.4 },
  relayWrite: { what: 'Relayed write: added median latency ÷ the latency that nginx adds', unit: '×', most: 2.7, limit: 'a proxy that verifies and commits one row adds 3.4 times what nginx adds' },
  oneWriter: { what: 'Relayed write of a single caller: median time − the time of one sync of this disk', unit: 'ms', most: 0.9 },
  readBesideWriter: { what: 'Disk whose syncs take 5 ms longer: median time of a small cached read while one caller writes', unit: 'ms', most: 0.4 },
  readBesideWriters: { what: 'Disk whose syncs take 5 ms longer: median time of a small cached read while 16 callers write', unit: 'ms', most: 0.4 },
  writersP50: { what: 'Disk whose syncs take 5 ms longer: median time of a relayed write while 16 callers write', unit: 'ms', most: 12 },
  writersPerSecond: { what: 'Disk whose syncs take 5 ms longer: relayed writes per second of 16 callers', unit: '', least: 1200 },
  farWrite: { what: 'Over TLS with 20 ms network latency: time of a relayed write ÷ time of a relayed read', unit: '×', most: 1.1 },
  book: { what: 'Processor time per order book from a live venue', unit: 'us', most: 250, limit: 'a proxy that only parses and writes the book takes 320 us' },
  candles: { what: 'Processor time per answer with 500 candles from a live venue', unit: 'us', most: 800 },
  start: { what: 'Time from process start to the list of markets of a new simulated world', unit: 'ms', most: 400 },
  agentStart: { what: 'MCP over stdio, time from start to tools/list: official SDK on Node.js ÷ prepd', unit: '×', least: 10 },
  memoryLoaded: { what: 'Memory with a live venue, after one call of each route', unit: 'MB', most: 70 },
  memoryFirst: { what: 'Memory with the embedded venue, after the start', unit: 'MB', most: 130 },
  memoryAfter: { what: 'Maximum memory during two million requests', unit: 'MB', most: 150 },
  diskOfWrite: { what: 'Bytes written to the disk per relayed write', unit: 'kB', most: 5 },
  diskOfMiss: { what: 'Bytes written to the disk per answer that is loaded into the cache', unit: 'kB', most: 2 },
  callers: { what: 'Requests per second, small cached read: 200,000 callers ÷ one caller', unit: '×', least: 0.9 },
  kept: { what: 'Requests per second, small cached read: 50,000 cached answers ÷ one cached answer', unit: '×', least: 0.9 },
  sharedMany: { what: 'Processor time per cached read, 1,000 callers: PostgreSQL and Valkey ÷ SQLite', unit: '×', most: 1.35 },
  sharedFew: { what: 'Processor time per cached read, 10 callers: PostgreSQL and Valkey ÷ SQLite', unit: '×', most: 1.1 },
  sharedWrite: { what: 'Relayed write: median latency with PostgreSQL and Valkey − with SQLite', unit: 'ms', most: 1 },
  twoReads: { what: 'Cached reads per second: two instances ÷ one instance, each with a quarter of a core', unit: '×', least: 1.7 },
  twoWrites: { what: 'Relayed writes per second: two instances ÷ one instance, each with a quarter of a core', unit: '×', least: 1.7 },
  stall: { what: 'Longest wait for a cached read while the embedded venue simulates a day', unit: 'ms', most: 10 },
  stallBook: { what: 'Longest wait for an order book while the embedded venue simulates a day', unit: 'ms', most: 60 },
  stallOrder: { what: 'Longest wait for a signed order while the embedded venue simulates a day', unit: 'ms', most: 60 },
} as const satisfies Record<string, Aim>

type AimName = keyof typeof AIMS

const measured = new Map<AimName, number>()

/** Notes what an aim's figure came to. */
export function note(name: AimName, figure: number): void {
  measured.set(name, figure)
}

/** A line of the page: the figure, the day of its measurement, and the figure before it. */
type Row = {
  readonly figure: number | null
  readonly day: string
  readonly before: number | null
}

const NO_ROW: Row = { figure: null, day: '', before: null }

/**
 * The page of figures as Markdown. A measurement that did not run keeps its line of the page before. The figure of a
 * measurement that ran again moves to the column of the figures before.
 */
export function benchmarkPage(machine: string, day: string, pageBefore: string): string {
  const known = readRows(pageBefore)
  const rows = names().map((name) => {
    const last = known.get(AIMS[name].what) ?? NO_ROW
    const figure = measured.get(name)
    return printRow(AIMS[name], figure === undefined ? last : { figure, day, before: last.figure })
  })
  const table = [
    '| Measurement | Result | Measured on | Result before | Aim | Obstacle |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
  ]
  return `${[...introduction(machine), table.join('\n')].join('\n\n')}\n`
}

function introduction(machine: string): string[] {
  return [
    '# Benchmark',
    `\`npm run bench\` writes this page (last on ${machine}). It takes at most 25 minutes. With names of measurements, such as \`npm run bench reads slow-disk\`, it measures only those. \`npm run bench help\` lists the names.`,
    'Each figure is the median of several rounds, and the programs that are compared take turns. The server has one core. ÷ divides the first figure by the second; above 1, prepd needs less time or does more. ○ marks a missed aim.',
    [
      '- The minimal Bun server answers each request with the same bytes and one header. It checks and counts nothing.',
      '- nginx answers the same bytes from its cache, with one worker and without an access log.',
      '- prepd answers with all its duties: rate limits, the address of the caller, request id, metrics, and ten headers.',
      '- The processor time of a cached read is the time of the main thread, and of the worker of nginx, per request.',
      '- The latency that a server adds is the latency through the server minus the latency of the same call without it.',
      '- The slow disk is the disk of this machine, with each sync delayed by 5 ms.',
    ].join('\n'),
    'The executable contains bytecode, 13 MB of the 21 MB that it has beyond Bun. Without it, the processor time of a start is 70 to 80 % higher.',
  ]
}

function names(): AimName[] {
  return Object.keys(AIMS).filter((name): name is AimName => Object.hasOwn(AIMS, name))
}

/** The lines of a page by their measurement. */
function readRows(page: string): ReadonlyMap<string, Row> {
  const lines = page.split('\n').filter((line) => line.startsWith('| '))
  return new Map(
    lines.map((line) => {
      const [what = '', result, day = '', before] = line
        .split('|')
        .slice(1)
        .map((cell) => cell.trim())
      return [what, { figure: readFigure(result), day, before: readFigure(before) }]
    }),
  )
}

function readFigure(cell = ''): number | null {
  const figure = Number.parseFloat(cell.replaceAll(',', ''))
  return Number.isNaN(figure) ? null : figure
}

function printRow({ what, unit, limit = '', ...aim }: Aim, { figure, day, before }: Row): string {
  const bound = aim.least === undefined ? `≤ ${aim.most}` : `≥ ${aim.least}`
  const mark = isShort(aim, figure) ? ' ○' : ''
  const result = figure === null ? 'not measured' : `${rounded(figure)} ${unit}`.trim()
  const last = before === null ? '' : `${rounded(before)} ${unit}`.trim()
  const cells = [what, result + mark, day, last, `${bound} ${unit}`.trim(), mark && limit]
  return `| ${cells.join(' | ')} |`
}

function isShort({ least, most }: Pick<Aim, 'least' | 'most'>, figure: number | null): boolean {
  if (figure === null) return false
  return (least !== undefined && figure < least) || (most !== undefined && figure > most)
}

function rounded(figure: number): string {
  return figure < 100
    ? String(Number(figure.toPrecision(3)))
    : Math.round(figure).toLocaleString('en')
}
