type Aim = {
  readonly what: string
  readonly unit: '' | '×' | 'us' | 'ms' | 'MB' | 'kB'
  /** One of the two: what the figure is to reach, or not to pass. */
  readonly least?: number
  readonly most?: number
}

// biome-ignore format: one aim a row
const AIMS = {
  smallOfBare: { what: 'small kept read, of a bare Bun server', unit: '×', least: 0.85 },
  smallOfNginx: { what: 'the same, of nginx with it cached', unit: '×', least: 1.35 },
  realOfBare: { what: 'the same with 13 headers, Origin and a trusted proxy, of bare', unit: '×', least: 0.65 },
  realOfNginx: { what: 'the same, of nginx', unit: '×', least: 1.1 },
  plainOfBare: { what: '22 kB kept read, plain, of bare', unit: '×', least: 0.9 },
  plainOfNginx: { what: 'the same, of nginx', unit: '×', least: 1.15 },
  gzipOfNginx: { what: 'the same by gzip, of nginx with that cached', unit: '×', least: 1.15 },
  relayRead: { what: 'relayed read: p50 added, of what nginx adds', unit: '×', most: 2.4 },
  relayWrite: { what: 'relayed write: the same', unit: '×', most: 2.7 },
  farWrite: { what: 'write over TLS at 20 ms, of a read', unit: '×', most: 1.1 },
  book: { what: 'order book from a live venue: processor time', unit: 'us', most: 250 },
  candles: { what: '500 candles from a live venue: processor time', unit: 'us', most: 800 },
  start: { what: 'spawn to first answer, of a minimal Bun server', unit: '×', most: 1.6 },
  agentStart: { what: 'stdio to tools/list, times as fast as the official SDK on Node.js', unit: '×', least: 18 },
  memoryFirst: { what: 'memory at start, and while nobody asks', unit: 'MB', most: 50 },
  memoryAfter: { what: 'most memory within ten million requests', unit: 'MB', most: 90 },
  diskOfWrite: { what: 'bytes on the disk for each relayed write', unit: 'kB', most: 5 },
  diskOfMiss: { what: 'bytes on the disk for each kept miss', unit: 'kB', most: 2 },
  callers: { what: 'small kept read with a million callers, of with one', unit: '×', least: 0.9 },
  kept: { what: 'small kept read with 100,000 kept answers, of with one', unit: '×', least: 0.9 },
  sharedMany: { what: 'kept read of 1,000 callers with PostgreSQL and Valkey: processor time, of with SQLite', unit: '×', most: 1.35 },
  sharedFew: { what: 'the same of 10 callers', unit: '×', most: 1.1 },
  sharedWrite: { what: 'relayed write with them: p50 added to with SQLite', unit: 'ms', most: 1 },
  twoReads: { what: 'kept reads of two instances, a quarter of a core each, of one', unit: '×', least: 1.7 },
  twoWrites: { what: 'relayed writes of the same', unit: '×', least: 1.7 },
  stall: { what: 'longest wait for a kept read under mixed load', unit: 'ms', most: 15 },
} as const satisfies Record<string, Aim>

type AimName = keyof typeof AIMS

const figures = new Map<AimName, number>()

/** Notes what an aim's figure came to. */
export function note(name: AimName, figure: number): void {
  figures.set(name, figure)
}

/** What was measured beside what was aimed at, as a table of Markdown, and which fall short. */
export function aimsTable(): string {
  const rows = names().map((name) => rowOf(AIMS[name], figures.get(name)))
  const short = names().filter((name) => isShort(AIMS[name], figures.get(name)))
  return [
    '| What | Measured | Aim |',
    '| --- | --- | --- |',
    ...rows,
    '',
    short.length === 0 ? 'every aim is reached' : `short of its aim: ${short.join(', ')}`,
  ].join('\n')
}

function names(): AimName[] {
  return Object.keys(AIMS).filter((name): name is AimName => Object.hasOwn(AIMS, name))
}

function rowOf({ what, unit, ...aim }: Aim, figure: number | undefined): string {
  const bound = aim.least === undefined ? `≤ ${aim.most}` : `≥ ${aim.least}`
  const shown = figure === undefined ? 'not measured' : `${rounded(figure)} ${unit}`.trim()
  return `| ${what} | ${shown} | ${`${bound} ${unit}`.trim()} |`
}

function isShort({ least, most }: Aim, figure: number | undefined): boolean {
  if (figure === undefined) return true
  return (least !== undefined && figure < least) || (most !== undefined && figure > most)
}

function rounded(figure: number): string {
  return figure < 100
    ? String(Number(figure.toPrecision(3)))
    : Math.round(figure).toLocaleString('en')
}
