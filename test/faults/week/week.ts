import { Database } from 'bun:sqlite'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { KNOWN_VERSION } from '../../../src/store/connection/migrations.ts'
import { until } from '../../cluster/processes.ts'
import { spawnPrepd } from '../../surface/spawned.ts'
import { fill } from '../disks.ts'
import { startWeekPlace, type WeekPlace } from './place.ts'
import { startWriters } from './writer.ts'

/** What happens to some services, what they send of it and when it is over; null for what has no end. */
type Trouble = {
  readonly title: string
  readonly name: string
  readonly of: readonly string[]
  /** What they may send besides. */
  readonly also?: readonly string[]
  readonly begin: () => unknown
  readonly end: (() => unknown) | null
}

const NOTICE_MAX_SECONDS = 60
const WAIT_MAX_SECONDS = 90
const ENGINES = ['one', 'two'] as const
const ALL = [...ENGINES, 'old', 'small'] as const

/** What becomes of each trouble of a week, in a table, and everything that must not be. */
export async function week(print: (line: string) => void) {
  const place = await startWeekPlace()
  try {
    const wrong: string[] = []
    const rows: Row[] = []
    const note = (row: Row) => {
      print(row.text)
      rows.push(row)
    }
    note(await lived(place, upgradeOf(place)))
    const { one, two, old, small } = place
    const writers = await startWriters(
      [
        { name: 'engines', urls: [one.url, two.url] },
        { name: 'old', urls: [old.url] },
        { name: 'small', urls: [small.url] },
      ],
      one.url,
    )
    const inTurn = async (lane: readonly Trouble[]) => {
      for (const trouble of lane) note(await lived(place, trouble))
    }
    for (const lanes of stagesOf(place)) await Promise.all(lanes.map(inTurn))
    note(await rotated(place))
    note(await downgraded(place))
    const { wrong: notOnce, ...figures } = await writers.end()
    for (const { isGood, text } of rows) if (!isGood) wrong.push(text)
    wrong.push(...notOnce, ...unexplained(place, stagesOf(place).flat(2)))
    print(`receiver refused: ${place.receiver.refused.join(', ') || 'nothing'}`)
    return { figures, wrong }
  } finally {
    await place.stop()
  }
}

function upgradeOf({ old }: WeekPlace): Trouble {
  return { title: 'upgrade', name: 'version', of: ['old'], begin: old.start, end: null }
}

/** Troubles in stages; the lanes of a stage pass beside each other, the troubles of a lane one after the other. */
function stagesOf(place: WeekPlace): readonly (readonly (readonly Trouble[])[])[] {
  const { venue, server, valkey, two, small, old, pairs } = place
  const engine = { name: 'engine_away', of: ENGINES }
  const away = { ...engine, also: ['store_failing'] }
  const gone = { name: 'instance_lost', of: ['one'] }
  const clock = { name: 'clock_skew', of: ['old'], end: () => old.stepClock(0) }
  const certificate = {
    ...{ name: 'certificate_ends', of: ['old'] },
    begin: () => old.reload(pairs.useShort),
    end: () => old.reload(pairs.useLong),
  }
  const disk = {
    ...{ name: 'disk_low', of: ['small'], also: ['disk_full', 'store_failing'] },
    begin: () => fill(join(small.disk(), 'filler')),
    end: () => rmSync(join(small.disk(), 'filler')),
  }
  return [
    [
      [{ title: 'venue away', name: 'venue_away', of: ALL, begin: venue.kill, end: venue.start }],
      [{ title: 'disk filling', ...disk }],
      [{ title: 'certificate ending', ...certificate }],
    ],
    [
      [
        { title: 'PostgreSQL failover', ...away, begin: server.kill, end: server.start },
        { title: 'Valkey failover', ...engine, begin: valkey.kill, end: valkey.start },
        { title: 'instance lost', ...gone, begin: two.kill, end: two.start },
      ],
      [
        { title: 'clock 90 s ahead', ...clock, begin: () => old.stepClock(90_000) },
        { title: 'clock an hour behind', ...clock, begin: () => old.stepClock(-3_600_000) },
      ],
    ],
  ]
}

type Row = { readonly text: string; readonly isGood: boolean }

/** Makes a trouble and ends it; each service sends it once, and once that it is over. */
async function lived({ receiver }: WeekPlace, trouble: Trouble): Promise<Row> {
  const { name, of, begin, end } = trouble
  const from = receiver.received.length
  const own = (states: readonly string[]) =>
    receiver.received
      .slice(from)
      .filter((one) => one.name === name && of.includes(one.service) && states.includes(one.state))
  async function secondsUntil(change: () => unknown, states: readonly string[]): Promise<number> {
    const beganMs = performance.now()
    await change()
    const waitEndMs = beganMs + WAIT_MAX_SECONDS * 1000
    await until(async () => own(states).length >= of.length || performance.now() > waitEndMs)
    if (own(states).length < of.length) return Number.POSITIVE_INFINITY
    return Math.max(...own(states).map(({ atMs }) => atMs - beganMs)) / 1000
  }
  const sent = await secondsUntil(begin, ['begun', 'happened'])
  const over = end === null ? null : await secondsUntil(end, ['over'])
  const times = [own(['begun', 'happened']).length, own(['over']).length]
  const isOnce = times[0] === of.length && times[1] === (end === null ? 0 : of.length)
  const isGood = isOnce && sent <= NOTICE_MAX_SECONDS && (over ?? 0) <= NOTICE_MAX_SECONDS
  return { text: rowOf(trouble.title, sent, over, `${times.join(' + ')} by ${of.length}`), isGood }
}

function rowOf(title: string, sent: number, over: number | null, times: string): string {
  const cell = (seconds: number | null) => (seconds === null ? '-' : seconds.toFixed(1))
  return `| ${title.padEnd(20)} | ${cell(sent).padStart(8)} | ${cell(over).padStart(8)} | ${times} |`
}

/** Rotates the operator's key: the new one is taken, the one before too until the end. */
async function rotated({ one, keyFile, firstKey }: WeekPlace): Promise<Row> {
  const beganMs = performance.now()
  const keys = async () => (await Bun.file(keyFile).text()).trim().split('\n')
  const taken = async (key: string) => {
    const headers = { authorization: `Bearer ${key}` }
    return (await fetch(`${one.url}/api/admin/status`, { headers })).status === 200
  }
  const rotate = async (...flags: string[]) => {
    const prepd = spawnPrepd({
      argv: ['--mode', 'admin', 'rotate', 'operator', keyFile, ...flags],
      env: {},
    })
    const { code, stderr } = await prepd.ended()
    if (code !== 0) throw new Error(stderr)
    one.reload()
  }
  await rotate()
  const [fresh = ''] = await keys()
  await until(() => taken(fresh))
  const wereBoth = await taken(firstKey)
  await rotate('--finish')
  await until(async () => !(await taken(firstKey)))
  const isGood = wereBoth && (await taken(fresh)) && (await keys()).length === 1
  const seconds = (performance.now() - beganMs) / 1000
  return { text: rowOf('key rotated', seconds, null, 'both taken, then the new'), isGood }
}

/** A store of a later release is refused in words, and taken again once it is as before. */
async function downgraded({ old }: WeekPlace): Promise<Row> {
  await old.kill()
  const setVersion = (version: number) => {
    using database = new Database(join(old.dataDir, 'prepd.sqlite'))
    database.run(`PRAGMA user_version = ${version}`)
  }
  const beganMs = performance.now()
  setVersion(KNOWN_VERSION + 1)
  const { code, stderr } = await old.begin().ended()
  const seconds = (performance.now() - beganMs) / 1000
  setVersion(KNOWN_VERSION)
  await old.start()
  const isGood = code === 1 && stderr.includes('was written by a newer prepd')
  return { text: rowOf('downgrade', seconds, null, `refused with ${code}`), isGood }
}

/** Notices that no trouble explains. */
function unexplained({ receiver }: WeekPlace, troubles: readonly Trouble[]): readonly string[] {
  const explained = new Set(['version', 'unknown_outcome'])
  for (const { name, also = [] } of troubles) for (const one of [name, ...also]) explained.add(one)
  return receiver.received
    .filter(({ name }) => !explained.has(name))
    .map(({ service, name, state }) => `${service} sent ${name} ${state}`)
}
