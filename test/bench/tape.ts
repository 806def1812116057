import { randomAt, randomStream } from '../../src/simulator/base/rng.ts'
import { advance, createWorld } from '../../src/simulator/engine/run.ts'
import { MARKETS } from '../../src/simulator/listing/instruments.ts'
import type { TapeFile } from '../../src/tapes/file.ts'
import { openRecorded } from '../../src/tapes/recorded.ts'
import { TAPE_LIMITS, type TapeRecord } from '../../src/tapes/records.ts'
import { openTapeWriter } from '../../src/tapes/write.ts'
import { median } from './measure.ts'

/** How many recorded messages a second of processor time the embedded venue plays: one market, a message a millisecond. */

const ROUNDS = 5
const MESSAGES = 1_000_000
const BEGIN_MS = Date.UTC(2026, 0, 1)
const MIDDLE = 600_000
const source = randomStream(1, 'bench')
let drawn = 0
const whole = (below: number) => Math.floor(randomAt(source, drawn++) * below)

const tape = { ...openRecorded(tapeOf(MESSAGES)), startsAtMs: BEGIN_MS }
const listed = [...MARKETS.values()].filter(({ symbol }) => tape.symbols.has(symbol))
const rates = Array.from({ length: ROUNDS }, () => {
  const world = createWorld({
    ...{ seed: 1, beginsAtMs: BEGIN_MS, prices: { kind: 'seeded' }, listed, tape },
  })
  const before = process.cpuUsage()
  advance(world, BEGIN_MS + MESSAGES)
  const { user, system } = process.cpuUsage(before)
  return ((world.tape?.played ?? 0) * 1_000_000) / (user + system)
})
console.log(
  `  tape: ${Math.round(median(rates)).toLocaleString('en')} messages/s of processor time, played (aim 500,000)`,
)

/** Books whose levels change size, come and go, and a trade in six messages. */
function tapeOf(messages: number): TapeFile {
  const file = inMemory()
  const { add, flush } = openTapeWriter(file, TAPE_LIMITS)
  add({
    ...{ kind: 'market', market: 0, symbol: 'PERP_BTC_USDC', rules: '' },
    ...{ priceDecimals: 1, quantityDecimals: 5 },
  })
  for (let at = 0; at < messages; at += 1) add(message(at))
  flush()
  return file
}

function message(at: number): TapeRecord {
  const atUs = (BEGIN_MS + at) * 1000
  const isBid = whole(2) === 0
  const price = MIDDLE + (isBid ? -1 - whole(50) : 1 + whole(50))
  const levels = [price, whole(5) === 0 ? 0 : 1 + whole(100_000)]
  if (at > 0 && whole(6) === 0) {
    const trade = { price: MIDDLE + (isBid ? -1 : 1), quantity: 1 + whole(1000) }
    return { kind: 'trade', market: 0, atUs, side: isBid ? 'SELL' : 'BUY', ...trade }
  }
  const [bids, asks] = isBid ? [levels, []] : [[], levels]
  return { kind: 'book', market: 0, atUs, isWhole: at === 0, bids, asks }
}

function inMemory(): TapeFile {
  let bytes = new Uint8Array(64 * 1024 * 1024)
  let size = 0
  return {
    sizeBytes: () => size,
    read: (at, length) => bytes.subarray(at, Math.min(size, at + length)),
    append: (more) => {
      bytes.set(more, size)
      size += more.length
    },
    truncate: (length) => {
      size = length
    },
    close: () => {
      bytes = new Uint8Array()
    },
  }
}
