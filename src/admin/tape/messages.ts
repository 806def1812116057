import type { TextLevel } from '../../tape/markets.ts'
import { type Cells, readTable } from './table-files.ts'

/** A message of a file of books or of trades. */
export type FileMessage = {
  readonly symbol: string
  /** When the venue sent it. */
  readonly atUs: number
  /** When it was received: files are merged by this time. */
  readonly localUs: number
  /** Null for a trade whose taker is unknown. */
  readonly content: BookContent | TradeContent | null
}

/** Levels that arrived together. */
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

type BookMessage = FileMessage & { readonly content: BookContent }

const TIMES = ['symbol', 'timestamp', 'local_timestamp']
const BOOK_COLUMNS = [...TIMES, 'price', 'amount', 'side', 'is_snapshot']
const TRADE_COLUMNS = [...TIMES, 'price', 'amount', 'side']
const MICROSECONDS = /^\d{1,16}$/
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
])
const SIDES: ReadonlyMap<string, 'BUY' | 'SELL' | null> = new Map([
  ['buy', 'BUY'],
  ['sell', 'SELL'],
  ['unknown', null],
])

/** The messages of a file of `incremental_book_L2`, in batches. Throws an Error for a row that is none of it. */
export async function* bookMessages(path: string): AsyncGenerator<FileMessage[]> {
  let open: BookMessage[] = []
  let row = 0
  for await (const batch of readTable(path, BOOK_COLUMNS)) {
    for (const cells of batch) {
      row += 1
      const message = bookRow(cells)
      if (message === null) throw malformed(path, row)
      addRow(open, message)
    }
    // The last message may go on in the next batch.
    const last = open.pop()
    yield open
    open = last ? [last] : []
  }
  yield open
}

function addRow(messages: BookMessage[], row: BookMessage): void {
  const last = messages.at(-1)
  if (last && isOne(last, row)) merge(last.content, row.content)
  else messages.push(row)
}

/** The messages of a file of `trades`, in batches. Throws an Error for a row that is none of it. */
export async function* tradeMessages(path: string): AsyncGenerator<FileMessage[]> {
  let row = 0
  for await (const batch of readTable(path, TRADE_COLUMNS)) {
    yield batch.map((cells) => {
      row += 1
      const [, , , price = '', quantity = '', side = ''] = cells
      const [head, taker] = [headOf(cells), SIDES.get(side)]
      if (head === null || taker === undefined) throw malformed(path, row)
      return { ...head, content: taker && { kind: 'trade', side: taker, price, quantity } }
    })
  }
}

function bookRow(cells: Cells): BookMessage | null {
  const [, , , price = '', amount = '', side = '', snapshot = ''] = cells
  const [head, isSnapshot] = [headOf(cells), BOOLEANS.get(snapshot)]
  if (head === null || isSnapshot === undefined || (side !== 'bid' && side !== 'ask')) return null
  const [bids, asks]: TextLevel[][] =
    side === 'bid' ? [[[price, amount]], []] : [[], [[price, amount]]]
  return { ...head, content: { kind: 'book', isSnapshot, bids: bids ?? [], asks: asks ?? [] } }
}

function headOf([symbol = '', timestamp = '', local = '']: Cells) {
  if (symbol === '' || !MICROSECONDS.test(timestamp) || !MICROSECONDS.test(local)) return null
  return { symbol, atUs: Number(timestamp), localUs: Number(local) }
}

/** Whether two rows were parts of one message. */
function isOne(one: BookMessage, other: BookMessage): boolean {
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

function malformed(path: string, row: number): Error {
  return new Error(`row ${row} of ${path} is malformed`)
}

/** Two series of messages as one, by the time of receipt. Of one time, those of the first come first. */
export async function* merged(
  first: AsyncGenerator<FileMessage[]>,
  second: AsyncGenerator<FileMessage[]>,
): AsyncGenerator<FileMessage[]> {
  const [a, b] = [seriesOf(first), seriesOf(second)]
  for (;;) {
    await Promise.all([a.fill(), b.fill()])
    const batch: FileMessage[] = []
    // Up to the end of a batch, behind which a series may go on.
    while (!a.isSpent() && !b.isSpent()) {
      const message = a.nextUs() <= b.nextUs() ? a.take() : b.take()
      if (message === undefined) return yield batch
      batch.push(message)
    }
    yield batch
  }
}

function seriesOf(batches: AsyncGenerator<FileMessage[]>) {
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
