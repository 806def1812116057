import { ClientFailure } from '../../../src/agents/client/client.ts'
import { STANDBY_PATH } from '../../../src/contract/standby.ts'
import { until } from '../../cluster/processes.ts'
import type { ClientLine, ClientPart } from './client.ts'
import { judge } from './judge.ts'
import { type Killable, killable, SYMBOL, startPlace } from './place.ts'

type Place = Awaited<ReturnType<typeof startPlace>>

const CLIENT = new URL('client.ts', import.meta.url).pathname
const CLIENTS = 8
const ACCOUNTS_EACH = 6
const KILL_EVERY_MS = 850
const CLIENT_SHARE = 0.6
const INSTANCE_SHARE = 0.3
/** Silent for shorter and for longer than a standby waits. */
const CLIENT_AWAY_MAX_MS = 25_000
const SERVER_AWAY_MAX_MS = 3000
/** Longer than any cancel of a deposit can be sent: 270 s after the last of three was signed. */
const OUTAGE_MS = 330_000
/** From so many kills on there is time for an outage of the venue, and one of both instances. */
const OUTAGES_FROM = 1000

/** What became of the standbys of a run, and everything that must not be. */
export type StandbyFigures = ReturnType<typeof judge> & {
  readonly killed: Readonly<Record<Kind, number>>
  /** Calls that were signed and reached the venue. */
  readonly sent: number
  /** Orders that clients placed, and that came to rest. */
  readonly orders: number
}

/** Kills clients with standby cancels, both instances and the venue at random, so many times in all. */
export async function killAround(
  kills: number,
  random: () => number,
  onKill: (done: number) => void,
): Promise<StandbyFigures> {
  const place = await startPlace(CLIENTS * ACCOUNTS_EACH)
  const lines: ClientLine[] = []
  const clients = Array.from({ length: CLIENTS }, (_, slot) =>
    killable(async () => startClient(place, slot, lines)),
  )
  try {
    for (const { start } of clients) await start()
    const outages = outagesOf(kills, place, clients)
    const groups = { client: clients, instance: place.instances, venue: [place.venue] }
    const killed = await killInTurn(groups, kills, random, onKill)
    await Promise.all(outages)
    await Promise.all(clients.map(({ kill }) => kill()))
    return { killed, ...(await judged(place, lines)) }
  } finally {
    await Promise.all(clients.map(({ kill }) => kill()))
    await place.stop()
  }
}

type Kind = 'client' | 'instance' | 'venue'

/** Kills one after the other, each of which comes back after a while; settles when all are back. */
async function killInTurn(
  groups: Readonly<Record<Kind, readonly Killable[]>>,
  kills: number,
  random: () => number,
  onKill: (done: number) => void,
): Promise<Readonly<Record<Kind, number>>> {
  const killed = { client: 0, instance: 0, venue: 0 }
  const back: Promise<unknown>[] = []
  for (let done = 0; done < kills; ) {
    await Bun.sleep(KILL_EVERY_MS * (0.5 + random()))
    const draw = random()
    const kind =
      draw < CLIENT_SHARE ? 'client' : draw < CLIENT_SHARE + INSTANCE_SHARE ? 'instance' : 'venue'
    const running = groups[kind].filter(({ isUp }) => isUp())
    const doomed = running[Math.floor(random() * running.length)]
    if (!doomed) continue
    await doomed.kill()
    killed[kind] += 1
    const awayMs = random() * (kind === 'client' ? CLIENT_AWAY_MAX_MS : SERVER_AWAY_MAX_MS)
    back.push(Bun.sleep(awayMs).then(doomed.start))
    onKill(++done)
  }
  await Promise.all(back)
  return killed
}

/** In long runs first the venue, then both instances are away for longer than a standby can wait, and half of the clients. */
function outagesOf(kills: number, place: Place, clients: readonly Killable[]): Promise<unknown>[] {
  if (kills < OUTAGES_FROM) return []
  const gapMs = (kills * KILL_EVERY_MS - 2 * OUTAGE_MS) / 3
  const silent = clients.slice(0, CLIENTS / 2)
  return [
    outage(gapMs, [place.venue, ...silent]),
    outage(2 * gapMs + OUTAGE_MS, [...place.instances, ...silent]),
  ]
}

async function outage(afterMs: number, away: readonly Killable[]): Promise<void> {
  await Bun.sleep(afterMs)
  for (const one of away) one.hold(true)
  await Promise.all(away.map(({ kill }) => kill()))
  await Bun.sleep(OUTAGE_MS)
  for (const one of away) one.hold(false)
  await Promise.all(away.map(({ start }) => start()))
}

async function startClient({ callers, urls, price }: Place, slot: number, lines: ClientLine[]) {
  const first = slot * ACCOUNTS_EACH
  const accounts = callers
    .slice(first, first + ACCOUNTS_EACH)
    .map(({ secret, ...caller }, at) => ({ ...caller, secret: [...secret], at: first + at }))
  const part: ClientPart = { urls, accounts, symbol: SYMBOL, price }
  const child = Bun.spawn([process.execPath, CLIENT], {
    env: { ...process.env, NO_PROXY: '127.0.0.1' },
    stdin: new Blob([JSON.stringify(part)]),
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const read = new Response(child.stdout).text()
  return {
    kill: async () => {
      child.kill('SIGKILL')
      await child.exited
      for (const line of (await read).split('\n')) if (line !== '') lines.push(JSON.parse(line))
    },
  }
}

/** Judges a run once nothing is armed any more. */
async function judged(place: Place, lines: readonly ClientLine[]) {
  const { history, way, callers } = place
  await until(async () => (await history.open()) === 0)
  const accounts = callers.map(({ accountId }) => accountId)
  const changes = await history.changes()
  const { wrong, ...figures } = judge({ accounts, lines, changes, passed: way.passed })
  const ends = await Promise.all(callers.map((_, at) => wrongEnd(place, lines, at)))
  const orders = lines.filter(({ what }) => what === 'order').length
  const none = orders === 0 ? ['no order rested'] : []
  return { ...figures, orders, sent: way.passed.length, wrong: [...none, ...wrong, ...ends.flat()] }
}

/** An answer that comes in the end, of an instance that has just started. */
async function answered(ask: () => Promise<unknown>) {
  for (;;) {
    try {
      return Object(await ask())
    } catch (error) {
      if (!(error instanceof ClientFailure && error.status >= 500)) throw error
      await Bun.sleep(200)
    }
  }
}

/** From a cancel at the venue to what the gateway notes of it, at most. */
const CANCEL_MAX_MS = 5000
const ENDS: ReadonlySet<unknown> = new Set(['cancelled', 'withdrawn', 'lapsed'])

/** What an account is shown in the end that cannot be: its protective order gone, or cancelled ones open. */
async function wrongEnd({ client, callers }: Place, lines: readonly ClientLine[], at: number) {
  const caller = callers[at]
  if (!caller) return []
  const read = (path: string) => answered(() => client.relay(caller, { method: 'GET', path }))
  const wrong: string[] = []
  const stops = (await read('/v1/algo/orders?status=INCOMPLETE')).rows
  if (stops.length !== 1) wrong.push(`${stops.length} protective orders stand`)
  const { state, failure, endedAtMs } = await read(STANDBY_PATH)
  const open: { order_id: number }[] = (await read('/v1/orders?status=INCOMPLETE')).rows
  // An order that came while the cancel was under way may stand after it.
  const isBefore = (atMs: number) => atMs < endedAtMs - CANCEL_MAX_MS
  const placed = new Set(
    lines.flatMap((line) =>
      line.what === 'order' && line.at === at && isBefore(line.atMs) ? [line.id] : [],
    ),
  )
  if (state === 'cancelled') {
    const left = open.filter(({ order_id }) => placed.has(order_id))
    if (left.length > 0) wrong.push(`cancelled at ${endedAtMs}, and ${left.length} orders are open`)
  }
  const isArmed = lines.some((line) => line.what === 'arm' && line.at === at)
  if (!ENDS.has(state) && (state !== 'none' || isArmed)) wrong.push(`ends as ${state}`)
  if (state === 'lapsed' && typeof failure !== 'string') wrong.push('lapsed without a reason')
  return wrong.map((one) => `${caller.accountId.slice(0, 10)}: ${one}`)
}
