import { BTC, hasReached, type RaceFigures, STEP, type startRaceVenue } from './venue.ts'

/** An order that a racer is to send, at a time of the venue's clock. */
export type Asked = {
  readonly atMs: number
  readonly clientOrderId: string
  readonly symbol: string
  readonly quantity: number
}

/** A process that sends orders, and writes a line for each that has its answer. */
export type Racer = {
  readonly send: (orders: readonly Asked[]) => void
  /** Settles when so many more have their answer, or the process has ended. */
  readonly answered: (lines: number) => Promise<void>
  readonly kill: () => Promise<void>
}

type Race = {
  readonly venue: Awaited<ReturnType<typeof startRaceVenue>>
  readonly start: () => Racer | Promise<Racer>
  readonly racers: number
  /** Sent at least. */
  readonly orders: number
  readonly random: () => number
  /** Sets the venue's clock, which stands still within a round. */
  readonly setClock: (atMs: number) => void | Promise<void>
  readonly fromMs: number
}

const ROUND_ORDERS = 30
const KILL_SHARE = 0.6
const HOUR_MS = 3_600_000
const STEPS_MS = [20_000, 61_000, 8 * HOUR_MS, 24 * HOUR_MS, 24 * HOUR_MS] as const

/**
 * Sends orders until the limits are reached, over several processes at once, a few rounds one after the other, between which the clock turns, and
 * kills one of the processes in most rounds.
 */
export async function race({ venue, start, random, ...race }: Race): Promise<RaceFigures> {
  const racers: (Racer | null)[] = Array.from({ length: race.racers }, () => null)
  const share = Math.ceil(ROUND_ORDERS / race.racers)
  let atMs = race.fromMs
  let asked = 0
  while (asked < race.orders || !hasReached(venue.figures())) {
    await race.setClock(atMs)
    const doomed = random() < KILL_SHARE ? Math.floor(random() * race.racers) : -1
    const running = racers.map(async (known, at) => {
      const racer = known ?? (await start())
      racers[at] = racer
      racer.send(Array.from({ length: share }, () => order(atMs, asked++, random)))
      await racer.answered(at === doomed ? Math.floor(random() * share) : share)
      if (at !== doomed) return
      racers[at] = null
      await racer.kill()
    })
    await Promise.all(running)
    atMs += STEPS_MS[Math.floor(random() * STEPS_MS.length)] ?? 0
  }
  await Promise.all(racers.map((racer) => racer?.kill()))
  return venue.figures()
}

const STEPS_MAX = 7
const OTHER_SHARE = 0.05

function order(atMs: number, count: number, random: () => number): Asked {
  const quantity = Number(((1 + Math.floor(random() * STEPS_MAX)) * STEP).toFixed(3))
  const symbol = random() < OTHER_SHARE ? 'PERP_ETH_USDC' : BTC
  return { atMs, clientOrderId: `${count}-${atMs}`, symbol, quantity }
}

/** Counts the answers of a racer, until it has ended. */
export function countedAnswers() {
  let count = 0
  let wanted = 0
  let isOver = false
  let waiting = Promise.withResolvers<void>()
  const look = () => {
    if (isOver || count >= wanted) waiting.resolve()
  }
  return {
    add: () => {
      count += 1
      look()
    },
    end: () => {
      isOver = true
      look()
    },
    reached: async (more: number): Promise<void> => {
      wanted += more
      waiting = Promise.withResolvers()
      look()
      await waiting.promise
    },
  }
}

/** A process whose standard streams are lines; `lineOf` writes an order. */
export function spawnRacer(
  command: readonly string[],
  env: Readonly<Record<string, string>>,
  lineOf: (order: Asked) => object,
): Racer {
  const child = Bun.spawn([...command], {
    env: { ...process.env, ...env, NO_PROXY: '127.0.0.1' },
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const answers = countedAnswers()
  const ended = drain()

  async function drain(): Promise<void> {
    for await (const bytes of child.stdout)
      for (const byte of bytes) if (byte === LINE_END) answers.add()
    answers.end()
  }

  return {
    send: (orders) => {
      for (const each of orders) child.stdin.write(`${JSON.stringify(lineOf(each))}\n`)
      child.stdin.flush()
    },
    answered: answers.reached,
    kill: async () => {
      child.kill('SIGKILL')
      await child.exited
      await ended
    },
  }
}

const LINE_END = 10
