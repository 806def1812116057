import { parseTableTime, TABLE_TIME } from '../../core/table-time.ts'
import type { TextLevel } from '../../tapes/markets.ts'
import { type Cells, readTable } from './table-files.ts'

/** A message of a file of books or of trades. */
export type FileMessage = {
  readonly symbol: string
  /** The time at which the venue sent the message. */
  readonly atUs: number
  /** The time at which the message was received. Files are merged by this time. */
  readonly localUs: number
  /** Null for a trade with an unknown taker side. */
  readonly content: BookContent | TradeContent | null
}

/** Book levels that arrived together. */
export type BookContent = {
  readonly kind: 'book'
  readonly isSnapshot: boolean
  readonly bids: TextLevel[]
  readonly asks: TextLevel[]
}

type TradeContent = {
  readonly kind: 'trade'
  readonly side: 'BUY' | 'SELL'
  readonly price: string
  readonly quantity: string
}

type BookMessage = FileMessage & {
  readonly content: BookContent
  /** The quantity by side and price. */
  readonly quantities: Map<string, string>
}

const TIMES = ['symbol', 'timestamp', 'local_timestamp']
const BOOK_COLUMNS = [...TIMES, 'price', 'amount', 'side', 'is_snapshot']
const TRADE_COLUMNS = [...TIMES, 'price', 'amount', 'side']
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
])
const SIDES: ReadonlyMap<string, 'BUY' | 'SELL' | null> = new Map([
  ['buy', 'BUY'],
  ['sell', 'SELL'],
  ['unknown', null],
])

/**
 * The messages of a file of `incremental_book_L2`, in batches. Throws an Error that names the row if a row is invalid
 * or out of order, or repeats a snapshot's price with a different quantity.
 */
export async function* bookMessages(path: string): AsyncGenerator<FileMessage[]> {
  let open: BookMessage[] = []
  const heads = createRowHeadParser(path)
  for await (const batch of readTable(path, BOOK_COLUMNS)) {
    for (const cells of batch) addRow(open, bookRow(heads, cells), heads)
    // Keeps the last message, which may continue in the next batch.
    const last = open.pop()
    yield open
    open = last ? [last] : []
  }
  yield open
}

function addRow(messages: BookMessage[], row: BookMessage, { refusal }: RowHeadParser): void {
  const last = messages.at(-1)
  if (!last || !isSameMessage(last, row)) {
    messages.push(row)
    return
  }
  if (last.content.isSnapshot && hasConflictingLevel(last, row))
    throw refusal('a price of one snapshot has two quantities: its times are too coarse')
  merge(last.content, row.content)
  for (const [price, quantity] of levelEntries(row)) last.quantities.set(price, quantity)
}

/** Whether the message already has a different quantity for a level of a row. */
function hasConflictingLevel({ quantities }: BookMessage, row: BookMessage): boolean {
  return levelEntries(row).some(
    ([price, quantity]) => (quantities.get(price) ?? quantity) !== quantity,
  )
}

/** The levels of a row; keys have the side before the price. */
function levelEntries({ content: { bids, asks } }: BookMessage): [key: string, quantity: string][] {
  return [
    ...bids.map(([price, quantity]): [string, string] => [`bid ${price}`, quantity]),
    ...asks.map(([price, quantity]): [string, string] => [`ask ${price}`, quantity]),
  ]
}

/** The messages of a file of `trades`, in batches. Throws as `bookMessages`. */
export async function* tradeMessages(path: string): AsyncGenerator<FileMessage[]> {
  const heads = createRowHeadParser(path)
  for await (const batch of readTable(path, TRADE_COLUMNS)) {
    yield batch.map((cells) => {
      const head = heads.next(cells)
      const [, , , price = '', quantity = '', side = ''] = cells
      const taker = SIDES.get(side)
      if (taker === undefined) throw heads.refusal('side must be buy, sell or unknown')
      return { ...head, content: taker && { kind: 'trade', side: taker, price, quantity } }
    })
  }
}

function bookRow(heads: RowHeadParser, cells: Cells): BookMessage {
  const head = heads.next(cells)
  const [, , , price = '', amount = '', side = '', snapshot = ''] = cells
  const isSnapshot = BOOLEANS.get(snapshot)
  if (isSnapshot === undefined) throw heads.refusal('is_snapshot must be true or false')
  if (side !== 'bid' && side !== 'ask') throw heads.refusal('side must be bid or ask')
  const [bids, asks]: TextLevel[][] =
    side === 'bid' ? [[[price, amount]], []] : [[], [[price, amount]]]
  const content = { kind: 'book', isSnapshot, bids: bids ?? [], asks: asks ?? [] } as const
  return { ...head, content, quantities: new Map([[`${side} ${price}`, amount]]) }
}

type RowHeadParser = ReturnType<typeof createRowHeadParser>

/** Returns a function that parses the symbol and times of a row. Throws an Error unless rows are in order of receipt. */
function createRowHeadParser(path: string) {
  let [row, lastUs] = [0, 0]
  const refusal = (why: string) => new Error(`row ${row} of ${path} is malformed: ${why}`)
  const time = (column: string, text: string) => {
    const atUs = parseTableTime(text)
    if (atUs === null) throw refusal(`${column} must be ${TABLE_TIME}`)
    return atUs
  }
  return {
    refusal,
    next: ([symbol = '', timestamp = '', local = '']: Cells) => {
      row += 1
      if (symbol === '') throw refusal('it has no symbol')
      const atUs = time('timestamp', timestamp)
      const localUs = time('local_timestamp', local)
      if (localUs < lastUs)
        throw refusal('its local_timestamp is before that of the row above: sort the table by it')
      lastUs = localUs
      return { symbol, atUs, localUs }
    },
  }
}

/** Whether two rows are parts of one message. */
function isSameMessage(one: BookMessage, other: BookMessage): boolean {
  return (
    one.localUs === other.localUs &&
    one.symbol === other.symbol &&
    one.content.isSnapshot === other.content.isSnapshot
  )
}

function merge({ bids, asks }: BookContent, more: BookContent): void {
  bids.push(...more.bids)
  asks.push(...more.asks)
}

/** Two series of messages, merged by time of receipt. At equal times the first series comes first. */
export async function* mergedMessages(
  first: AsyncGenerator<FileMessage[]>,
  second: AsyncGenerator<FileMessage[]>,
): AsyncGenerator<FileMessage[]> {
  const [a, b] = [messageSeries(first), messageSeries(second)]
  for (;;) {
    await Promise.all([a.fill(), b.fill()])
    const batch: FileMessage[] = []
    // Merges until one batch is spent, then loads the next batch of that series.
    while (!a.isSpent() && !b.isSpent()) {
      const message = a.nextUs() <= b.nextUs() ? a.take() : b.take()
      if (message === undefined) return yield batch
      batch.push(message)
    }
    yield batch
  }
}

function messageSeries(batches: AsyncGenerator<FileMessage[]>) {
  let batch: FileMessage[] = []
  let at = 0
  let isEnded = false
  const isSpent = () => at >= batch.length && !isEnded
  return {
    isSpent,
    nextUs: () => batch[at]?.localUs ?? Number.POSITIVE_INFINITY,
    take: () => batch[at++],
    fill: async () => {
      while (isSpent()) {
        const { value, done } = await batches.next()
        if (done) isEnded = true
        else [batch, at] = [value, 0]
      }
    },
  }
}
