import type { Session } from '../../../src/cluster/postgres/connection.ts'
import { PostgresError } from '../../../src/cluster/postgres/errors.ts'
import type { Server } from '../../../src/cluster/postgres/server.ts'
import type { ListedValues, Statement } from '../../../src/store/connection/statement.ts'
import { copyData, type Data, execute } from './postgres-data.ts'
import type { VirtualTime } from './time.ts'

type Change = { readonly atMs: number; readonly text: string; readonly values: ListedValues }

/** One PostgreSQL server of the model: its data, and the log that its standbys follow. */
export type ServerModel = {
  readonly name: string
  data: Data
  log: Change[]
  applied: number
  timeline: number
  run: number
  isUp: boolean
  follows: ServerModel | null
  /** Whether it gets anything of the server that it follows, and how late. */
  isLinked: boolean
  lagMs: number
  isSynchronous: boolean
  hasStandby: boolean
}

export function newServer(name: string, data: Data): ServerModel {
  return {
    ...{ name, data, log: [], applied: 0, timeline: 1, run: 1, isUp: true, follows: null },
    ...{ isLinked: true, lagMs: 5, isSynchronous: false, hasStandby: false },
  }
}

/** Applies what has arrived at a standby. */
export function replicate(standby: ServerModel, nowMs: number): void {
  const { follows, isLinked, lagMs } = standby
  if (!follows || !isLinked) return
  while (standby.applied < follows.log.length) {
    const change = follows.log[standby.applied]
    if (!change || change.atMs > nowMs - lagMs) return
    execute(standby.data, change.text, change.values, change.atMs)
    standby.applied += 1
  }
}

/** Ends the way from the server that a standby follows. */
export function unlink(standby: ServerModel, nowMs: number): void {
  replicate(standby, nowMs)
  standby.isLinked = false
}

/** Makes a standby a primary with what it has. */
export function promote(standby: ServerModel): void {
  if (!standby.follows) return
  standby.timeline = standby.follows.timeline + 1
  standby.follows = null
  standby.run += 1
  standby.log = []
}

/** The way from an instance to a server, or to Valkey. */
export type Way = {
  isCut: boolean
  /** The share of its changes that are made although the instance gets no answer, from 0 to 1. */
  lostShare: number
  /** How long a message may take beyond its usual time. */
  slowMs: number
  /** The statement that was executed for it last. */
  executed: string
}

export function newWay(): Way {
  return { isCut: false, lostShare: 0, slowMs: 0, executed: '' }
}

const CLOCK_MS = 1_700_000_000_000

/** The rows of the model as a statement types them: nothing checks those of PostgreSQL either. */
function rowsAs<Row extends object>(rows: readonly object[]): readonly Row[] {
  return Reflect.apply(Array.prototype.slice, rows, [])
}

/** The setting synchronous_standby_names. */
function standbyNames({ isSynchronous }: ServerModel): string {
  return isSynchronous ? 's1' : ''
}

export function lookAtModel(server: ServerModel, nowMs: number): Server {
  const history = `cluster ${server.timeline}`
  return {
    ...{ history, cluster: 'cluster', timeline: server.timeline },
    isSynchronous: server.isSynchronous,
    standbyNames: standbyNames(server),
    hasStandby: server.hasStandby,
    run: `${history} ${server.name} ${server.run}`,
    nowMs: CLOCK_MS + nowMs,
  }
}

/** How long one message takes. */
export function latencyMs(random: () => number): number {
  return 1 + Math.floor(random() * 4)
}

/** A connection to a server, which ends when the server starts anew or the way is cut. */
export function sessionTo(
  time: VirtualTime,
  server: ServerModel,
  way: Way,
  random: () => number,
  standbys: readonly ServerModel[],
): Session {
  const { run } = server
  const isOpen = () => server.isUp && server.run === run && !server.follows && !way.isCut

  async function pass(isSent: boolean, lostShare = 0): Promise<void> {
    const slowMs = way.slowMs > 0 ? Math.floor(random() * way.slowMs) : 0
    await time.delay(latencyMs(random) + slowMs)
    const isLost = lostShare > 0 && random() < lostShare
    if (isLost || !isOpen()) throw new PostgresError('lost', isSent, true)
  }

  /** Waits as a commit does until the synchronous standby has it, or the setting for it is reset. */
  async function committed(): Promise<void> {
    if (!server.isSynchronous) return
    const length = server.log.length
    const standby = standbys.find((each) => each.follows === server)
    for (let waits = 0; waits < 100; waits += 1) {
      if (standby) replicate(standby, time.nowMs())
      if (standby && standby.follows === server && standby.applied >= length) return
      if (isOpen() && !server.isSynchronous) return
      if (!isOpen()) break
      await time.delay(10)
    }
    throw new PostgresError('lost', true, true)
  }

  /** What others do not see yet, while a transaction is open. */
  let open: { readonly data: Data; readonly changes: Change[] } | null = null

  async function commit(changes: readonly Change[]): Promise<void> {
    for (const { text, values, atMs } of changes) execute(server.data, text, values, atMs)
    server.log.push(...changes)
    if (changes.length > 0) await committed()
  }

  return {
    run: async (script) => {
      await pass(false)
      const changes = open?.changes ?? []
      if (script === 'BEGIN') open = { data: copyData(server.data), changes: [] }
      if (script === 'ROLLBACK' || script === 'COMMIT') open = null
      if (script === 'COMMIT') await commit(changes)
      await pass(true, script === 'COMMIT' ? way.lostShare : 0)
    },
    ask: async <Row extends object>(
      { text }: Statement<Row, ListedValues>,
      values: ListedValues,
    ) => {
      await pass(false)
      if (text.includes('synchronous_standby_names'))
        return { rows: rowsAs([{ standbyNames: standbyNames(server) }]), count: 1 }
      const change = { atMs: time.nowMs(), text, values }
      const { isChange, rows } = execute(open?.data ?? server.data, text, values, change.atMs)
      way.executed = text
      if (isChange && open) open.changes.push(change)
      else if (isChange) {
        server.log.push(change)
        await committed()
      }
      await pass(true, isChange && !open ? way.lostShare : 0)
      return { rows: rowsAs(rows), count: rows.length }
    },
  }
}
