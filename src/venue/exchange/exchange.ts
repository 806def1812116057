import type { Clock, EntityStore, Random } from '../../core/ports.ts'
import { keccak256 } from '../../crypto/keccak.ts'
import { createMaking, type IsOver, NEVER_OVER } from '../base/steps.ts'
import type { Engine } from '../engine/engine.ts'
import type { InitialState } from '../engine/run.ts'
import { COUNTERS, createBatch, createJournal, readEntities } from './journal.ts'
import { type Simulation, simulationSteps } from './simulation.ts'
import {
  type Counters,
  emptyAccount,
  type Key,
  type Profile,
  type Registration,
  type Schedule,
  type VenueState,
} from './state.ts'

/** The first number is one above this; smaller numbers are left for what is seeded. */
const SEQUENCE_START = 1_000_000

type ExchangeParts = {
  readonly entities: EntityStore
  readonly initialState: InitialState
  /** The venue's time. */
  readonly clock: Clock
  /** Whether an opened simulation stays where it was stored until the next step, rather than at now. */
  readonly isPatient?: boolean
  /** Receives the error of a failed step of storing the world: it is tried again. */
  readonly failed?: (error: unknown) => void
  /** Called when the simulation begins to be built, and when it is there. */
  readonly busy?: (isBusy: boolean) => void
}

/** The exchange as its entities left it. */
export function openExchange(parts: ExchangeParts): VenueState {
  const { entities, clock, isPatient = false } = parts
  const batch = createBatch(entities)
  const initial = { sequence: SEQUENCE_START, draws: 0 }
  const { accounts, nonces, counters } = loadEntities(entities, initial)
  const journal = createJournal(batch.entities, counters)
  let opened: Simulation | null = null
  const { follow, goOn } = createScheduler()
  const hooks: (() => void)[] = []

  const making = createMaking(() =>
    simulationSteps({ ...parts, entities: batch.entities, direct: entities }),
  )

  function open(isOver: IsOver): Simulation | null {
    if (opened) return opened
    parts.busy?.(true)
    opened = making.goOn(isOver)
    parts.busy?.(false)
    if (!opened) return null
    if (!isPatient) goOn(opened.engine, clock.nowMs())
    for (const hook of hooks) hook()
    return opened
  }

  return {
    journal,
    counters,
    accounts,
    nonces,
    simulation: () => atOnce(open),
    follow,
    isOpen: () => opened !== null,
    open: (isOver) => open(isOver) !== null,
    whenOpen: (hook) => void hooks.push(hook),
    advance: (nowMs) => void (opened && goOn(opened.engine, nowMs)),
    step: (nowMs, isOver) => !opened || goOn(opened.engine, nowMs, isOver),
    isSaving: () => opened?.engine.isSaving() ?? false,
    commit() {
      opened?.engine.commit()
      journal.flush()
      batch.flush()
      opened?.engine.saveWhenDue()
    },
  }
}

function atOnce(open: (isOver: IsOver) => Simulation | null): Simulation {
  const simulation = open(NEVER_OVER)
  if (!simulation) throw new RangeError('a simulation that is never done')
  return simulation
}

type Loaded = {
  readonly accounts: Map<string, Registration>
  readonly nonces: Map<string, number>
  readonly counters: Counters
}

/** Reads back everything that journals have committed; `initial` are the counters of an empty store. */
function loadEntities(entities: EntityStore, initial: Counters): Loaded {
  const accounts = new Map<string, Registration>()
  for (const profile of readEntities<Profile>(entities, 'account'))
    accounts.set(profile.accountId, emptyAccount(profile))
  for (const key of readEntities<Key>(entities, 'key'))
    accounts.get(key.accountId)?.keys.set(key.publicKey, key)
  const issued = readEntities<{ value: string; expiresAtMs: number }>(entities, 'nonce')
  issued.sort((a, b) => a.expiresAtMs - b.expiresAtMs)
  const nonces = new Map(issued.map(({ value, expiresAtMs }) => [value, expiresAtMs]))
  const [counters = initial] = readEntities<Counters>(entities, COUNTERS)
  return { accounts, nonces, counters }
}

/** Advances a world, and performs a schedule at its times on the way. */
type Scheduler = {
  readonly follow: (schedule: Schedule) => void
  /** Goes on to a time, or until it is enough for now; answers whether the world is there. */
  readonly goOn: (engine: Engine, toMs: number, isOver?: IsOver) => boolean
}

const NO_SCHEDULE: Schedule = { nextMs: () => null, perform: () => undefined }

/** Has an empty schedule until it is given one. While an item is performed, the world stays at its time. */
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
    goOn: (engine, toMs, isOver = NEVER_OVER) => {
      if (isPerforming) return true
      for (let at = schedule.nextMs(); at !== null && at <= toMs; at = schedule.nextMs()) {
        if (!engine.step(at, isOver)) return false
        perform()
      }
      return engine.step(toMs, isOver)
    },
  }
}

/**
 * The bytes of nonces, transaction ids and codes: from the seed, one after the other, so that the same calls are given
 * the same. Nothing that must be secret comes from here. How many were drawn is stored with the other counters.
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
