import type { AheadClaim, DatabaseRegistry } from '../../../src/core/engines/database.ts'
import { EngineAway } from '../../../src/core/engines/health.ts'
import { branchText, exchanged, type WitnessRecord } from '../../../src/core/engines/witness.ts'
import type { Way } from './postgres-model.ts'
import type { VirtualTime } from './time.ts'

const CLOCK_MS = 1_700_000_000_000

/** One Valkey of the model. */
export type ValkeyModel = {
  run: number
  isUp: boolean
  /** How far its clock is ahead. */
  offsetMs: number
  record: WitnessRecord | null
  ahead: AheadClaim[]
  births: number
}

export function newValkey(run: number): ValkeyModel {
  return { run, isUp: true, offsetMs: 0, record: null, ahead: [], births: 0 }
}

/** Empties it, as FLUSHALL does; `isRestarted` gives it another process as well. */
export function empty(valkey: ValkeyModel, isRestarted: boolean): void {
  valkey.record = null
  valkey.ahead = []
  if (isRestarted) valkey.run += 10
}

/** The product's registry over the model, as one instance has it. */
export function registryAt(
  time: VirtualTime,
  valkeyNow: () => ValkeyModel,
  way: Way,
  latencyMs: () => number,
  instance: string,
): DatabaseRegistry {
  async function pass(): Promise<ValkeyModel> {
    await time.delay(latencyMs())
    const valkey = valkeyNow()
    if (way.isCut || !valkey.isUp) throw new EngineAway('unreachable')
    return valkey
  }

  return {
    exchange: async (state) => {
      const valkey = await pass()
      valkey.births += 1
      const nowMs = CLOCK_MS + time.nowMs() + valkey.offsetMs
      const moment = { nowMs, run: `${valkey.run}`, newId: `${valkey.births}`, instance }
      const result = exchanged(valkey.record, state, moment)
      if (!('refused' in result)) valkey.record = result.record
      await pass()
      return 'refused' in result ? result : result.verdict
    },
    publish: async (history, claims) => {
      const valkey = await pass()
      const { record } = valkey
      const isNewest =
        record?.witness === history.witness &&
        record.witness.startsWith(`${valkey.run} `) &&
        record.deployment === history.deployment &&
        record.cluster === history.cluster &&
        record.branch === branchText(history)
      if (isNewest) valkey.ahead.push(...claims)
      await pass()
      return isNewest
    },
    published: async (witness, afterMs) => {
      const { ahead, record, run } = await pass()
      if (record?.witness !== witness || !witness.startsWith(`${run} `))
        throw new EngineAway('refused')
      return ahead.filter(({ sinceMs }) => sinceMs > afterMs)
    },
  }
}
