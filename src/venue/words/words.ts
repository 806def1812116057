import { Failure, invalid } from '../../core/failure.ts'
import type { WordName } from '../../spec/venue/words.ts'
import type { PracticeDesk } from '../accounts/practice.ts'
import type { Archive } from '../archive.ts'
import type { Engine } from '../engine/engine.ts'
import type { FaultDesk } from '../faults/rules.ts'
import type { NoticeDesk } from '../notices/desk.ts'
import { BOOK_WORDS } from './book.ts'
import { NOTICE_WORDS } from './notices.ts'
import { readWord, type ValuesOf, type WordTexts } from './read.ts'
import { laidFault } from './shapes.ts'

/** What words act on: the venue that there is now. */
export type WordDesk = {
  readonly engine: () => Engine
  readonly practice: PracticeDesk
  readonly faults: FaultDesk
  readonly notices: NoticeDesk
  readonly archive: Archive
  /** Stores what the world has done, and the world as it stands. */
  readonly save: () => void
  /** Opens the venue anew from what is stored. Answers its time. */
  readonly reopen: () => number
  /** Moves a virtual clock, or lets it run at so many times the pace of time; null where time is real. */
  readonly advance: ((ms: number) => void) | null
  readonly run: ((times: number) => void) | null
  readonly nowMs: () => number
  /** The world's hash, and what of its books is broken. */
  readonly check: () => Promise<object>
}

type Act<Name extends WordName> = (
  desk: WordDesk,
  values: ValuesOf<Name>,
  atMs: number,
) => object | Promise<object>

/** What each word does at a time of the venue's, and what is said of it. */
const ACTS: { readonly [Name in WordName]: Act<Name> } = {
  ...BOOK_WORDS,
  ...NOTICE_WORDS,
  'clock advance': ({ advance, nowMs }, { by }) => {
    if (!advance) throw invalid('by', 'conflicting', { expected: VIRTUAL })
    advance(by)
    return { nowMs: nowMs() }
  },
  'clock run': ({ run, nowMs }, { rate }) => {
    if (!run) throw invalid('rate', 'conflicting', { expected: VIRTUAL })
    run(rate)
    return { rate, nowMs: nowMs() }
  },
  faucet: ({ practice }, values, atMs) => {
    const { account } = values
    const { token, amount } = creditOf(values)
    const glance = practice.fund(account, amount, token, atMs)
    if (!glance) throw new Failure('not_found', { parameter: 'account' })
    return glance
  },
  'faults add': ({ faults }, terms, atMs) => {
    const rule = faults.add(terms, atMs)
    if (!rule) throw invalid('kind', 'conflicting', { expected: 'fewer faults: faults clear' })
    return laidFault(rule)
  },
  'faults list': ({ faults }) => ({ rows: faults.list().map(laidFault) }),
  'faults clear': ({ faults }) => {
    faults.clear()
    return { rows: [] }
  },
  snapshot: ({ archive, save, nowMs }, { name }) => {
    save()
    if (!archive.keep(name))
      throw invalid('name', 'conflicting', { expected: `one of ${archive.names().join(', ')}` })
    return { name, names: archive.names(), nowMs: nowMs() }
  },
  restore: ({ archive, reopen }, { name }) => {
    if (!archive.putBack(name))
      throw new Failure('not_found', { parameter: 'name', names: archive.names() })
    return { name, nowMs: reopen() }
  },
  reset: ({ archive, reopen }) => {
    archive.clear()
    return { nowMs: reopen() }
  },
  hash: async ({ check }) => {
    const { broken: _, ...rest } = { broken: null, ...(await check()) }
    return rest
  },
  check: ({ check }) => check(),
}

/** What a faucet gives: USDC, or so much of another token. Throws invalid_request for both, or for half of it. */
function creditOf({ usdc, token, amount }: ValuesOf<'faucet'>) {
  if (token === undefined && amount !== undefined) throw invalid('token', 'missing')
  if (token === undefined && usdc === undefined) throw invalid('usdc', 'missing')
  if (token === undefined) return { amount: usdc ?? 0n }
  if (usdc !== undefined) throw invalid('usdc', 'conflicting', { expected: 'amount' })
  if (amount === undefined) throw invalid('amount', 'missing')
  return { token, amount }
}

const VIRTUAL = 'PREPD_VENUE_CLOCK=virtual'

/** A word with its parameters read: what it does is done when it is called with a time of the venue's. */
export type ReadWord = (desk: WordDesk, atMs: number) => object | Promise<object>

/** Reads a word. Throws Failure: invalid_request naming the parameter. What it does throws the same, or not_found. */
export function wordOf<Name extends WordName>(name: Name, texts: WordTexts): ReadWord {
  const values = readWord(name, texts)
  // A table's function and values of one name belong together, which no index type says.
  const act = ACTS[name] as Act<Name>
  return (desk, atMs) => act(desk, values, atMs)
}
