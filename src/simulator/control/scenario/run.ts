import { keccak256 } from '../../../core/crypto/keccak.ts'
import { toHex } from '../../../core/hex.ts'
import { detached } from '../../../core/loop/guarded.ts'
import type { Clock, EntityStore, Log } from '../../../core/ports.ts'
import { readEntities } from '../../exchange/journal.ts'
import type { Schedule, VenueState } from '../../exchange/state.ts'
import type { CommandContext } from '../commands.ts'
import type { ScenarioLine } from './parse.ts'

/** A parsed scenario. */
export type Scenario = {
  readonly lines: readonly ScenarioLine[]
  /** The source text of the scenario. A restart recognises the scenario by this text. */
  readonly text: string
}

type Progress = {
  readonly digest: string
  readonly startMs: number
  /** How many lines have run. */
  done: number
}

type ScenarioVenue = {
  readonly exchange: Pick<VenueState, 'journal'>
  readonly entities: EntityStore
  readonly clock: Clock
  readonly context: CommandContext
  readonly log: Log
}

const KIND = 'scenario'
const KEY = 'progress'

/**
 * Runs each line of a scenario at its time after the scenario's first start, by the venue's clock. The position is
 * stored together with each line's changes, so that a restart continues after the last line that ran.
 */
export function openScenario(scenario: Scenario, parts: ScenarioVenue): Schedule {
  const { exchange, clock, context, log } = parts
  const { lines, text } = scenario
  const digest = toHex(keccak256(Buffer.from(text)))
  const [stored] = readEntities<Progress>(parts.entities, KIND)
  const isSame = stored?.digest === digest
  const progress: Progress = isSame ? stored : { digest, startMs: clock.nowMs(), done: 0 }
  if (!isSame) exchange.journal.put(KIND, KEY, progress)

  const dueMs = ({ offsetMs }: ScenarioLine) => progress.startMs + offsetMs
  const next = () => lines[progress.done]

  return {
    nextMs: () => {
      const line = next()
      return line ? dueMs(line) : null
    },
    perform: () => {
      const line = next()
      if (!line) return
      progress.done += 1
      exchange.journal.put(KIND, KEY, progress)
      detached(
        'venue',
        logged(log, line, () => line.command(context, dueMs(line))),
      )
    },
  }
}

/** Runs a line's command and logs it. */
async function logged(
  log: Log,
  { number, name }: ScenarioLine,
  act: () => object | Promise<object>,
): Promise<void> {
  try {
    const done = act()
    log.info('scenario', { line: number, command: name })
    await done
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown'
    log.warn('scenario_failed', { line: number, command: name, reason })
  }
}
