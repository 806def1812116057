import { keccak256 } from '../../core/crypto/keccak.ts'
import type { EntityStore, Random } from '../../core/ports.ts'
import type { Engine } from '../engine/engine.ts'
import type { InitialState } from '../engine/run.ts'
import { SEQUENCE_START } from '../state/exchange.ts'
import { COUNTERS, createBatch, createEntityJournal, readEntities } from './journal.ts'
import { openSimulation, type Simulation } from './simulation.ts'
import {
  type AccountProfile,
  type Counters,
  emptyAccount,
  type Key,
  type Registration,
  type Schedule,
  type VenueState,
} from './state.ts'

type ExchangeOptions = {
  readonly entities: EntityStore
  readonly initialState: InitialState
  /** Receives each error of storing the world. The next commit tries again. */
  readonly failed: (error: unknown) => void
  /** Called with true when building the simulation begins, and with false when it ends. */
  readonly busy?: (isBusy: boolean) => void
}

/** Opens the exchange from its stored entities. */
export function openExchange(parts: ExchangeOptions): VenueState {
  const { entities } = parts
  const batch = createBatch(entities)
  const initial = { sequence: SEQUENCE_START, draws: 0 }
  const { accounts, nonces, counters } = loadEntities(entities, initial)
  const journal = createEntityJournal(batch.entities, counters)
  let opened: Simulation | null = null
  const { follow, goOn } = createScheduler()
  const hooks: (() => void)[] = []

  function simulation(): Simulation {
    if (opened) return opened
    parts.busy?.(true)
    opened = openSimulation({ ...parts, entities: batch.entities, direct: entities })
    for (const hook of hooks) hook()
    parts.busy?.(false)
    return opened
  }

  function commit(): void {
    opened?.engine.commit()
    journal.flush()
    batch.flush()
  }

  return {
    journal,
    counters,
    accounts,
    nonces,
    simulation,
    follow,
    isOpen: () => opened !== null,
    whenOpen: (hook) => void hooks.push(hook),
    advance: (nowMs, isOver) => opened === null || goOn(opened.engine, nowMs, isOver),
    commit: () => {
      commit()
      opened?.engine.saveWhenDue()
    },
    save: () => {
      const { engine } = simulation()
      commit()
      engine.save()
    },
  }
}

type Loaded = {
  readonly accounts: Map<string, Registration>
  readonly nonces: Map<string, number>
  readonly counters: Counters
}

/** Reads the stored entities. An empty store gets the counters `initial`. */
function loadEntities(entities: EntityStore, initial: Counters): Loaded {
  const accounts = new Map<string, Registration>()
  for (const profile of readEntities<AccountProfile>(entities, 'account'))
    accounts.set(profile.accountId, emptyAccount(profile))
  for (const key of readEntities<Key>(entities, 'key'))
    accounts.get(key.accountId)?.keys.set(key.publicKey, key)
  const issued = readEntities<{ value: string; expiresAtMs: number }>(entities, 'nonce')
  issued.sort((a, b) => a.expiresAtMs - b.expiresAtMs)
  const nonces = new Map(issued.map(({ value, expiresAtMs }) => [value, expiresAtMs]))
  const [counters = initial] = readEntities<Counters>(entities, COUNTERS)
  return { accounts, nonces, counters }
}

/** Advances a world and performs scheduled items at their times. */
type Scheduler = {
  readonly follow: (schedule: Schedule) => void
  readonly goOn: (engine: Engine, toMs: number, isOver?: () => boolean) => boolean
}

const NO_SCHEDULE: Schedule = { nextMs: () => null, perform: () => undefined }

/** A scheduler without items. While it performs an item, the world does not advance. */
function createScheduler(): Scheduler {
  let schedule = NO_SCHEDULE
  let isPerforming = false

  function perform(): void {
    isPerforming = true
    schedule.perform()
    isPerforming = false
  }

  return {
    follow: (next) => {
      schedule = next
    },
    goOn: (engine, toMs, isOver) => {
      if (isPerforming) return true
      for (let at = schedule.nextMs(); at !== null && at <= toMs; at = schedule.nextMs()) {
        if (!engine.advance(at, isOver)) return false
        perform()
      }
      return engine.advance(toMs, isOver)
    },
  }
}

/**
 * Random bytes for nonces, transaction ids and codes. The bytes follow from the seed, so that the same calls give the
 * same bytes. They must not be used for secrets. The counter of draws is stored with the world.
 */
export function seededRandom(seed: number, counters: Counters): Random {
  function draw(): Uint8Array {
    counters.draws += 1
    return keccak256(Buffer.from(`${seed}/draw/${counters.draws}`))
  }

  return {
    bytes: (length) => {
      const bytes = new Uint8Array(length)
      for (let at = 0; at < length; at += DRAW_BYTES) bytes.set(draw().subarray(0, length - at), at)
      return bytes
    },
  }
}

const DRAW_BYTES = 32
