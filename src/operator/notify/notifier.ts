import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../contract/durations.ts'
import { type Message, NOTIFY_LIMITS, type Notice } from '../../contract/operator/notify.ts'
import { toHex } from '../../core/hex.ts'
import { repeatWhileInUse } from '../../core/loop/idle-timers.ts'
import type { NoticeLeases } from '../../core/notice-leases.ts'
import type { Meter } from '../../core/observing/meter.ts'
import type { Clock, EntityChange, EntityStore, Log, Random } from '../../core/ports.ts'
import type { ConditionName } from './conditions.ts'
import type { NotifyConfig } from './config.ts'
import type { Judge } from './judge.ts'
import { createOutbox } from './outbox.ts'
import { createWatch } from './watch.ts'

type NotifierOptions = {
  readonly config: NotifyConfig
  /** Keeps pending messages, open notices, and the version that ran last. */
  readonly store: EntityStore
  readonly meter: Pick<Meter, 'samples'>
  readonly judge: Pick<Judge, 'look'>
  readonly missing: () => string | null
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly send: (request: Request) => Promise<Response>
  readonly service: string
  /**
   * `instance`: this instance's name, unique among the instances that share the store. `host`: the name of its host.
   */
  readonly instance: string
  readonly host: string
  readonly version: string
  /** Leases that choose the notifying instance; null for a single instance. */
  readonly leases: NoticeLeases | null
}

/** Detects conditions and delivers notices to the operator. */
export type Notifier = {
  /**
   * Checks all conditions. Notices are grouped: they are sent together `NOTIFY_LIMITS.groupMs` after the first. A crash
   * loop is queued at once, because this process may end soon.
   */
  readonly check: () => Promise<void>
  readonly deliver: () => Promise<void>
}

const OPEN_KIND = 'open'
const VERSION_KEY = 'version'
const HEARTBEAT_KEY = 'heartbeat'

export function createNotifier(parts: NotifierOptions): Notifier {
  const { store, clock, random, service, instance, host } = parts
  const open = new Map([...store.load(OPEN_KIND)].map(({ key, json }) => [key, Number(json)]))
  const skewSeconds = () => parts.meter.samples('prepd_venue_clock_skew_seconds')[0]?.value ?? 0
  const skewMs = () => Math.round(skewSeconds() * 1000)
  const outbox = createOutbox({ ...parts, ...parts.config, skewMs })
  const watch = createWatch({ ...parts, open })
  const heartbeat = createHeartbeat(parts)
  let sent = [...open.keys()]
  let group: Notice[] = versionNotice(parts)
  let groupSinceMs = clock.nowMs()
  const versionChanges =
    group.length === 0 ? [entityChange(VERSION_KEY, VERSION_KEY, parts.version)] : []
  outbox.keep([...versionChanges, ...heartbeat.changes()])

  function flush(nowMs: number): void {
    const id = `${String(nowMs).padStart(15, '0')}-${toHex(random.bytes(8))}`
    const message: Message = { id, atMs: nowMs, service, instance, host, notices: group }
    const gone = sent.filter((key) => !open.has(key))
    outbox.add(message, nowMs, [
      ...[...open].map(([key, sinceMs]) => entityChange(OPEN_KIND, key, String(sinceMs))),
      ...gone.map((key) => entityChange(OPEN_KIND, key, null)),
      entityChange(VERSION_KEY, VERSION_KEY, parts.version),
      ...heartbeat.changes(),
    ])
    sent = [...open.keys()]
    group = []
  }

  async function look(): Promise<void> {
    const nowMs = clock.nowMs()
    const found = await watch(nowMs)
    // A clock that was set back restarts the grouping time.
    if (group.length === 0 || groupSinceMs > nowMs) groupSinceMs = nowMs
    group.push(...found)
    group.push(...heartbeat.due(nowMs))
    const isDue = nowMs - groupSinceMs >= NOTIFY_LIMITS.groupMs || group.some(isOfCrashLoop)
    if (group.length > 0 && isDue) flush(nowMs)
  }

  let underWay: Promise<void> | null = null
  return {
    check: async () => {
      underWay ??= look().finally(() => {
        underWay = null
      })
      await underWay
    },
    deliver: () => outbox.deliver(clock.nowMs()),
  }
}

function isOfCrashLoop({ name }: Notice): boolean {
  return name === ('crash_loop' satisfies ConditionName)
}

function entityChange(kind: string, key: string, json: string | null): EntityChange {
  return { kind, key, json }
}

type HeartbeatOptions = Pick<
  NotifierOptions,
  'store' | 'config' | 'judge' | 'missing' | 'version' | 'clock'
>

/** Sends a daily notice at the configured time, which proves that this process runs and can deliver. */
function createHeartbeat(parts: HeartbeatOptions) {
  const { store, judge, missing, version } = parts
  const { heartbeatMinute: minute } = parts.config
  const [row] = [...store.load(HEARTBEAT_KEY)]
  let lastMs = row
    ? Number(row.json)
    : minute === null
      ? 0
      : timeBefore(minute, parts.clock.nowMs())

  /** The time of the last heartbeat. A time over an hour ahead is ignored, because the clock was set back. */
  function lastAt(minute: number, nowMs: number): number {
    return lastMs - nowMs > HOUR_MS ? timeBefore(minute, nowMs) : lastMs
  }

  return {
    changes: () =>
      minute === null ? [] : [entityChange(HEARTBEAT_KEY, HEARTBEAT_KEY, `${lastMs}`)],
    due: (nowMs: number): Notice[] => {
      if (minute === null) return []
      lastMs = lastAt(minute, nowMs)
      if (timeBefore(minute, nowMs) <= lastMs) return []
      lastMs = timeBefore(minute, nowMs)
      const held = judge.look(nowMs, missing()).filter(({ holds }) => holds)
      const figure =
        held.length === 0 ? 'All well.' : `Now: ${held.map(({ name }) => name).join(', ')}.`
      const texts = { title: `prepd ${version} runs.`, figure, action: '' }
      const command = 'prepd --mode admin status'
      return [
        { name: 'heartbeat', state: 'happened', level: 'warn', ...texts, command, sinceMs: lastMs },
      ]
    },
  }
}

/** The latest time at or before now that has this minute of the day (UTC). */
function timeBefore(minute: number, nowMs: number): number {
  const offsetMs = minute * MINUTE_MS
  return Math.floor((nowMs - offsetMs) / DAY_MS) * DAY_MS + offsetMs
}

/** One notice if a different version ran before; empty on the first start. */
function versionNotice({ store, version, clock }: NotifierOptions): Notice[] {
  const [row] = [...store.load(VERSION_KEY)]
  if (!row || row.json === version) return []
  const title = `prepd ${version} has taken over from prepd ${row.json}.`
  const sinceMs = clock.nowMs()
  const texts = { title, figure: '', action: '', command: 'prepd --mode admin status' }
  return [{ name: 'version', state: 'happened', level: 'warn', ...texts, sinceMs }]
}

/** Starts checking and delivering at intervals. Returns a function that stops both. */
export function startNotifier({ check, deliver }: Notifier): () => void {
  const stops = [
    repeatWhileInUse('process', NOTIFY_LIMITS.lookEveryMs, check),
    repeatWhileInUse('process', NOTIFY_LIMITS.deliverEveryMs, deliver),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
