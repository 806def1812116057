import { Failure } from '../../../src/core/failure.ts'
import { randomOf } from '../../faults/random.ts'
import { SILENT } from '../postgres/instance.ts'
import {
  claimOfText,
  type Host,
  type InstanceModel,
  type Marks,
  newMarks,
  startInstance,
} from './instance-model.ts'
import { copyData, type Data, newData } from './postgres-data.ts'
import {
  lookAtModel,
  newServer,
  newWay,
  promote,
  replicate,
  type ServerModel,
  sessionTo,
  unlink,
  type Way,
} from './postgres-model.ts'
import { createTime } from './time.ts'
import { empty, newValkey, registryAt, restore, save, type ValkeyModel } from './valkey-model.ts'

export const CLOCK_MS = 1_700_000_000_000

/** What a schedule begins with. */
export type Setup = {
  readonly instances: number
  readonly standbys: number
  /** `one`: each instance names one host, behind which another server may come to stand. */
  readonly hosts: 'all' | 'one'
  readonly isSynchronous: boolean
  readonly fencing: 'prepd' | 'operator'
  /** How far the clock of the first instance is ahead. */
  readonly clockAheadMs: number
}

/** A signed text, and when it was sent first. */
type Signed = { readonly identity: string; readonly signedMs: number; readonly sentMs: number }
type Answer = {
  readonly atMs: number
  /** The index of the instance. */
  readonly member: number
  readonly text: Signed
  readonly code: string
}

type Member = {
  instance: InstanceModel | null
  readonly ways: Way[]
  readonly toValkey: Way
  valkey: number
  marks: Marks
  /** The server behind its only name. */
  named: number
  frozenUntilMs: number
}

/** A cluster of the model, with everything that can happen to it as a step of its own. */
export type Cluster = ReturnType<typeof createCluster>

export function createCluster(seed: number, setup: Setup) {
  const random = randomOf(seed)
  const { fencing } = setup
  const time = createTime()
  const valkeys: ValkeyModel[] = [newValkey(1), newValkey(2)]
  const servers: ServerModel[] = [newServer('s0', newData())]
  for (let at = 1; at <= setup.standbys; at += 1) {
    const standby = newServer(`s${at}`, newData())
    standby.follows = servers[0] ?? null
    servers.push(standby)
  }
  for (const server of servers) server.isSynchronous = setup.isSynchronous && server.name === 's0'
  const [first] = servers
  if (first) first.hasStandby = setup.standbys > 0
  const arrived = new Map<string, number>()
  const answers: Answer[] = []
  const lines: string[] = []
  const snapshots: Data[] = []
  const note = (line: string) => void lines.push(`${time.nowMs()} ${line}`)
  const members: Member[] = Array.from({ length: setup.instances }, () => ({
    ...{ instance: null, ways: servers.map(newWay), toValkey: newWay() },
    ...{ valkey: 0, marks: newMarks(), named: 0, frozenUntilMs: 0 },
  }))

  /** An instance's own time: nothing goes on while its process is stopped. */
  const timeOf = (member: Member) => ({
    ...time,
    delay: async (ms: number) => {
      await time.delay(ms)
      while (member.frozenUntilMs > time.nowMs())
        await time.delay(member.frozenUntilMs - time.nowMs())
    },
  })

  function hostOf(member: Member, indexOf: () => number): Host {
    const server = () => servers[indexOf()] ?? newServer('none', newData())
    const way = () => member.ways[indexOf()] ?? { ...newWay(), isCut: true }
    return {
      connect: () => sessionTo(timeOf(member), server(), way(), random, servers),
      look: () => {
        const there = server()
        const isReached = there.isUp && !there.follows && !way().isCut
        return isReached ? lookAtModel(there, time.nowMs()) : null
      },
    }
  }

  function start(at: number): void {
    const member = members[at]
    if (!member || member.instance) return
    const hosts =
      setup.hosts === 'one'
        ? [hostOf(member, () => member.named)]
        : servers.map((_, index) => hostOf(member, () => index))
    const own = timeOf(member)
    const valkeyNow = () => valkeys[member.valkey] ?? newValkey(9)
    const name = `i${at}`
    const registry = registryAt(own, valkeyNow, member.toValkey, random, name)
    const { marks } = member
    const log = { ...SILENT, error: (event: string) => note(`${name}: ${event}`) }
    member.instance = startInstance({
      ...{ name, time: own, hosts, registry, fencing, marks, random, log },
    })
  }

  async function send(at: number, text: Signed): Promise<string> {
    const member = members[at]
    if (!member?.instance) return 'gone'
    const { instance } = member
    const claimed = claimOfText(text.identity, text.signedMs)
    const nowMs = CLOCK_MS + time.nowMs() + (at === 0 ? setup.clockAheadMs : 0)
    const won = await instance.claim(claimed, nowMs).catch(codeOf)
    const code = won === true ? 'ok' : won === false ? 'unknown' : won
    answers.push({ atMs: time.nowMs(), member: at, text, code })
    if (code !== 'ok') return code
    await timeOf(member).delay(Math.floor(random() * 3))
    if (member.instance !== instance) return 'gone'
    arrived.set(text.identity, (arrived.get(text.identity) ?? 0) + 1)
    return code
  }

  return {
    ...{ random, time, valkeys, servers, members, arrived, answers, lines, note, start, send },
    /** Ends a process; without its data directory it forgets what it knew. */
    kill: (at: number, keepsData: boolean) => {
      const member = members[at]
      member?.instance?.stop()
      if (member) member.instance = null
      if (member && !keepsData) member.marks = newMarks()
    },
    needsLeases: setup.standbys > 0 && !setup.isSynchronous,
    /** The standbys get nothing more of the primary. */
    unlink: () => {
      for (const server of servers) unlink(server, time.nowMs())
    },
    /** The standbys get what has arrived. */
    replicate: () => {
      for (const server of servers) replicate(server, time.nowMs())
    },
    /** Copies the data of the primary. */
    snapshot: () => void (first && snapshots.push(copyData(first.data))),
    copies: () => snapshots.map(copyData),
    /** Puts the last copy of its data back, as the primary starts anew. */
    putBack: () => {
      const [server, copy] = [first, snapshots.at(-1)]
      if (!server || !copy) return
      server.data = copyData(copy)
      server.log = []
      server.run += 1
      for (const standby of servers) if (standby.follows === server) unlink(standby, time.nowMs())
    },
    promote: (at: number) => {
      const standby = servers[at]
      if (standby) replicate(standby, time.nowMs())
      if (standby) promote(standby)
    },
    emptyValkey: (isRestarted: boolean) => {
      for (const valkey of valkeys) empty(valkey, isRestarted)
    },
    saveValkey: () => {
      for (const valkey of valkeys) save(valkey)
    },
    /** Each Valkey starts anew with what was saved last. */
    restoreValkey: () => {
      for (const valkey of valkeys) restore(valkey)
    },
  }
}

function codeOf(error: unknown): string {
  if (error instanceof Failure) return error.code
  throw error
}
