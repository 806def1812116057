import { readFileSync } from 'node:fs'
import type { Log, LogFields } from '../../../../src/core/ports.ts'
import { parseScenario } from '../../../../src/simulator/control/scenario/parse.ts'
import type { EmbeddedVenue } from '../../../../src/simulator/embedded.ts'
import type { Observer } from '../../../../src/simulator/state/observer.ts'
import type { EngineMarket } from '../../../../src/simulator/state/state.ts'
import type { EngineWorld } from '../../../../src/simulator/state/world.ts'
import {
  createSupervisedVenue,
  type SupervisedVenue,
} from '../../../../src/simulator/supervised.ts'
import { openVenueFile } from '../../../../src/store/entity-file.ts'
import { SIX_MARKETS } from '../../embedded-fixture.ts'

const WALL_MS = 1_750_000_000_000
const MINUTE_MS = 60_000

/** A venue of virtual time in which a scenario happens. */
export type Stage = {
  readonly venue: () => SupervisedVenue
  readonly world: () => EngineWorld
  readonly market: (symbol: string) => EngineMarket
  /** Lets minutes pass in so many steps, and looks the books through at each. */
  readonly pass: (minutes: number, steps?: number) => Promise<void>
  readonly hash: () => Promise<string>
  readonly observe: (observer: Observer) => void
  /** The log lines about the scenario. */
  readonly logged: readonly LogFields[]
  /** Closes everything as a killed process would, and opens it again. */
  readonly restart: () => void
}

/** The text of a scenario that ships. */
export function shipped(name: string): string {
  const path = new URL(`../../../../config/scenarios/${name}.txt`, import.meta.url).pathname
  return readFileSync(path, 'utf8')
}

export function openStage(text: string, seed = 1): Stage {
  const entities = openVenueFile(':memory:')
  const logged: LogFields[] = []
  const broken: string[] = []
  const write = (event: string, fields: LogFields = {}) => void logged.push({ event, ...fields })
  const log: Log = { error: write, warn: write, info: write, debug: write }
  const opened: EmbeddedVenue[] = []
  let venue = open()

  function open(): SupervisedVenue {
    return createSupervisedVenue({
      seed,
      pricesCsv: null,
      tape: null,
      paper: null,
      activity: 'sparse',
      markets: [...SIX_MARKETS.keys()],
      time: 'virtual',
      faucet: 10_000_000_000n,
      wallClock: { nowMs: () => WALL_MS },
      monotonicMs: () => performance.now(),
      startMs: Date.UTC(2026, 0, 1),
      log,
      entities,
      sleep: Bun.sleep,
      limits: null,
      latency: null,
      scenario: { text, lines: parseScenario(text) },
      onOpened: (each) => opened.push(each),
    })
  }

  function world(): EngineWorld {
    const last = opened.at(-1)
    if (!last) throw new Error('no venue is open')
    return last.exchange.simulation().engine.world
  }

  const stage: Stage = {
    venue: () => venue,
    world,
    market: (symbol) => {
      const market = world().exchange.bySymbol.get(symbol)
      if (!market) throw new RangeError(symbol)
      return market
    },
    pass: async (minutes, steps = 1) => {
      for (let step = 0; step < steps; step++) {
        venue.current().time.advance?.((minutes * MINUTE_MS) / steps)
        broken.push(...(await venue.current().check()).broken)
      }
      if (broken.length > 0) throw new Error(broken.join('\n'))
    },
    hash: async () => (await venue.current().check()).hash,
    observe: (observer) => void world().exchange.observers.push(observer),
    logged,
    restart: () => {
      venue = open()
    },
  }
  return stage
}
