import type { ValkeyEngine } from '../../../src/cluster/valkey/engine.ts'
import { databaseRegistry } from '../../../src/cluster/valkey/registry.ts'
import type { DatabaseRegistry } from '../../../src/core/engines/database.ts'
import { EngineAway } from '../../../src/core/engines/health.ts'
import { latencyMs, type Way } from './postgres-model.ts'
import type { VirtualTime } from './time.ts'

const CLOCK_MS = 1_700_000_000_000

/** What the keys of a Valkey hold: the fields of the record, and the sorted sets with the score of each member. */
type Data = {
  readonly record: ReadonlyMap<string, string>
  readonly sets: Map<string, Map<string, number>>
}

/** One Valkey of the model. */
export type ValkeyModel = {
  run: number
  isUp: boolean
  /** How far its clock is ahead. */
  offsetMs: number
  data: Data
  /** What it has written to its disk, or its replica has: it may come back with this. */
  saved: Data
}

const NOTHING = (): Data => ({ record: new Map(), sets: new Map() })

export function newValkey(run: number): ValkeyModel {
  return { run, isUp: true, offsetMs: 0, data: NOTHING(), saved: NOTHING() }
}

/** Empties it, as FLUSHALL does; `isRestarted` gives it another process as well. */
export function empty(valkey: ValkeyModel, isRestarted: boolean): void {
  valkey.data = NOTHING()
  if (isRestarted) valkey.run += 10
}

/** Writes what it holds to its disk. */
export function save(valkey: ValkeyModel): void {
  valkey.saved = copy(valkey.data)
}

/** Starts it anew with what is on its disk; a replica that is promoted late is the same. */
export function restore(valkey: ValkeyModel): void {
  valkey.data = copy(valkey.saved)
  valkey.run += 10
}

function copy({ record, sets }: Data): Data {
  return { record, sets: new Map([...sets].map(([key, set]) => [key, new Map(set)])) }
}

type Call = {
  readonly valkey: ValkeyModel
  readonly nowMs: number
  readonly keys: readonly string[]
  readonly args: readonly string[]
}

/** The scripts of the registry by a command that only one of them has, each as the model runs it. */
const SCRIPTS: readonly (readonly [string, (call: Call) => unknown])[] = [
  ['HGETALL', ({ valkey, nowMs }) => [nowMs, `${valkey.run}`, [...valkey.data.record].flat()]],
  ['HSET', write],
  ['ZADD', publish],
  ["'ZRANGEBYSCORE", published],
]

function write({ valkey, args }: Call): number {
  const [run, version, ...fields] = args
  const { record, sets } = valkey.data
  if (run !== `${valkey.run}` || (record.get('version') ?? '') !== version) return 0
  const pairs = fields.flatMap((name, at): [string, string][] =>
    at % 2 === 0 ? [[name, fields[at + 1] ?? '']] : [],
  )
  valkey.data = { record: new Map(pairs), sets }
  return 1
}

function publish({ valkey, nowMs, keys, args }: Call): number {
  const { record, sets } = valkey.data
  const [witness = ''] = args
  const held = ['witness', 'deployment', 'cluster', 'branch'].map((name) => record.get(name))
  if (!witness.startsWith(`${valkey.run} `)) return 0
  if (held.some((value, at) => value !== args[at])) return 0
  for (const key of keys.slice(1)) {
    const set = sets.get(key) ?? new Map<string, number>()
    for (const [member, score] of set) if (score < nowMs) set.delete(member)
    for (let at = 6; at < args.length; at += 2) set.set(args[at + 1] ?? '', Number(args[at]))
    sets.set(key, set)
  }
  return 1
}

function published({ valkey, keys, args }: Call): unknown {
  const { record, sets } = valkey.data
  const [witness = '', afterMs] = args
  if (!witness.startsWith(`${valkey.run} `) || record.get('witness') !== witness) return 0
  const set = sets.get(keys[1] ?? '') ?? new Map<string, number>()
  return [...set].flatMap(([member, score]) =>
    score > Number(afterMs) ? [member, `${score}`] : [],
  )
}

/** The product's registry over the model, as one instance has it. */
export function registryAt(
  time: VirtualTime,
  valkeyNow: () => ValkeyModel,
  way: Way,
  random: () => number,
  instance: string,
): DatabaseRegistry {
  async function pass(): Promise<ValkeyModel> {
    await time.delay(latencyMs(random))
    const valkey = valkeyNow()
    if (way.isCut || !valkey.isUp) throw new EngineAway('unreachable')
    return valkey
  }

  const run: ValkeyEngine['run'] = async ({ lua }, keys, args) => {
    const valkey = await pass()
    const [, script] = SCRIPTS.find(([command]) => lua.includes(command)) ?? []
    if (!script) throw new Error(`the model knows no such script: ${lua.slice(0, 60)}`)
    const nowMs = CLOCK_MS + Math.floor(time.nowMs()) + valkey.offsetMs
    const answer = script({ valkey, nowMs, keys, args: args.map(String) })
    // The script stays executed where its answer is lost.
    await pass()
    const isChange = script === write || script === publish
    if (isChange && way.lostShare > 0 && random() < way.lostShare) throw new EngineAway('timeout')
    return answer
  }
  return databaseRegistry({
    engine: { run },
    instance,
    newName: () => `${Math.floor(random() * 2 ** 48)}`,
    pause: (maxMs) => time.delay(maxMs * random()),
  })
}
