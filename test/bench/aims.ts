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
  smallOfBare: { what: 'small cached read, of a bare Bun server', unit: '×', least: 0.85, limit: 'a script that does only the duties of a cached read (address, id, headers) reaches 0.61 to 0.74' },
  smallOfNginx: { what: 'the same, of nginx with it cached', unit: '×', least: 1.35, limit: 'the bare server is 1.7 of nginx' },
  realOfBare: { what: 'the same with 13 headers, Origin and a trusted proxy, of bare', unit: '×', least: 0.65 },
  realOfNginx: { what: 'the same, of nginx', unit: '×', least: 1.1 },
  plainOfBare: { what: '22 kB cached read, plain, of bare', unit: '×', least: 0.9 },
  plainOfNginx: { what: 'the same, of nginx', unit: '×', least: 1.15 },
  gzipOfNginx: { what: 'the same by gzip, of nginx with that cached', unit: '×', least: 1.15 },
  relayRead: { what: 'relayed read: p50 added, of what nginx adds', unit: '×', most: 2.4 },
  relayWrite: { what: 'relayed write: the same', unit: '×', most: 2.7, limit: 'a proxy that verifies and commits one row adds 3.4 times what nginx adds' },
  farWrite: { what: 'write over TLS at 20 ms, of a read', unit: '×', most: 1.1 },
  book: { what: 'order book from a live venue: processor time', unit: 'us', most: 250, limit: 'a proxy that only parses and writes the book takes 320 us' },
  candles: { what: '500 candles from a live venue: processor time', unit: 'us', most: 800 },
  start: { what: 'spawn to first answer, everything opened', unit: 'ms', most: 120 },
  agentStart: { what: 'stdio to tools/list, times as fast as the official SDK on Node.js', unit: '×', least: 10 },
  memoryLoaded: { what: 'memory in front of a live venue, everything asked for once', unit: 'MB', most: 70 },
  memoryFirst: { what: 'memory with an embedded venue, at start and without requests', unit: 'MB', most: 130 },
  memoryAfter: { what: 'most memory within ten million requests', unit: 'MB', most: 150 },
  diskOfWrite: { what: 'bytes on the disk for each relayed write', unit: 'kB', most: 5 },
  diskOfMiss: { what: 'bytes on the disk for each cached miss', unit: 'kB', most: 2 },
  callers: { what: 'small cached read with a million callers, of with one', unit: '×', least: 0.9 },
  kept: { what: 'small cached read with 100,000 cached answers, of with one', unit: '×', least: 0.9 },
  sharedMany: { what: 'cached read of 1,000 callers with PostgreSQL and Valkey: processor time, of with SQLite', unit: '×', most: 1.35 },
  sharedFew: { what: 'the same of 10 callers', unit: '×', most: 1.1 },
  sharedWrite: { what: 'relayed write with them: p50 added to with SQLite', unit: 'ms', most: 1 },
  twoReads: { what: 'cached reads of two instances, a quarter of a core each, of one', unit: '×', least: 1.7 },
  twoWrites: { what: 'relayed writes of the same', unit: '×', least: 1.7 },
  stall: { what: 'longest wait for a cached read while the embedded venue simulates a day', unit: 'ms', most: 10 },
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
    `Written by \`npm run bench\`: medians of interleaved rounds, the server on one core. ${where}. ○ is short of its aim.`,
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
