import { type Exact, memberOf, textOf } from '../../../common/exact-json.ts'
import { dayTime, fill } from '../../../common/format.ts'
import { Table } from '../../../common/table.tsx'
import { S } from '../../messages/swap.ts'
import {
  arrivedOf,
  forgetEnded,
  type Sent,
  sentSwaps,
  stateOf,
  troubleOf,
} from '../../swap/sent.ts'
import { Cell } from '../account/table.tsx'
import { shortId } from '../parts/dialog.tsx'

const T = S.sent

/** The swaps of this browser and how far each is. */
export function SentSwaps() {
  return (
    <section class="panel lists" aria-label={T.title}>
      <div class="head">
        <h2>{T.title}</h2>
        {sentSwaps.value.some(({ ended }) => ended !== null) && (
          <button type="button" class="link end" onClick={forgetEnded}>
            {T.forget}
          </button>
        )}
      </div>
      <Table head={T.head}>
        {sentSwaps.value.map((swap) => (
          <Row key={swap.hash} swap={swap} />
        ))}
      </Table>
    </section>
  )
}

function Row({ swap }: { readonly swap: Sent }) {
  const [time, given, received, status, transaction] = T.head
  const state = stateOf(swap)
  const link = textOf(memberOf(state, 'sending'), 'txLink')
  return (
    <tr>
      <Cell name={time}>{dayTime(Number(swap.atMs))}</Cell>
      <Cell name={given}>{swap.given}</Cell>
      <Cell name={received}>{arrivedOf(state) || fill(T.about, { amount: swap.promised })}</Cell>
      <Cell name={status}>
        <span role="status" class={toneOf(state)}>
          {statusText(state)}
        </span>
        {troubleOf(swap) && <small>{troubleOf(swap)}</small>}
      </Cell>
      <Cell name={transaction}>
        {link.startsWith('https://') ? (
          <a href={link} rel="noreferrer" target="_blank">
            {shortId(swap.hash)}
          </a>
        ) : (
          shortId(swap.hash)
        )}
      </Cell>
    </tr>
  )
}

function toneOf(state: Exact): string {
  return { DONE: 'up', FAILED: 'down' }[textOf(state, 'status')] ?? ''
}

function statusText(state: Exact): string {
  const [status, substatus] = [textOf(state, 'status'), textOf(state, 'substatus')]
  if (status === '' || status === 'NOT_FOUND') return T.unseen
  return T.states[substatus] ?? (status === 'FAILED' ? T.failed : T.pending)
}
