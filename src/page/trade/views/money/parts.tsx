import { type Exact, textOf } from '../../../common/exact-json.ts'
import { dayTime, fixed, near } from '../../../common/format.ts'
import { Pairs } from '../../../common/pairs.tsx'
import { Table } from '../../../common/table.tsx'
import { type InjectedWallet, wallets } from '../../../common/wallets.ts'
import { session } from '../../account/session.ts'
import { hasSecret } from '../../account/wallet-secrets.ts'
import { C } from '../../messages/connect.ts'
import { W } from '../../messages/money.ts'
import { notify } from '../../messages/notices.ts'
import { chain, chains, chainsReading, chosenId } from '../../money/chains.ts'
import { leave, step } from '../../money/flow.ts'
import { Cell } from '../account/table.tsx'
import { DocumentReview } from '../connect/review.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Working } from './working.tsx'

/** The choice of a chain, with what a withdrawal to each costs. */
export function ChainChoice() {
  const { failure, data } = chainsReading.value
  if (failure && data === null) return <p class="notice">{W.chainsGone}</p>
  return (
    <label class="field">
      {W.chain}
      <select
        value={chain.value?.id}
        onChange={(event) => {
          chosenId.value = Number(event.currentTarget.value)
        }}
      >
        {chains.value.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}

/** What signs for the account: a wallet of this browser, the secret that this page has, or the file that holds it. */
export function SignButtons({
  text,
  isReady,
  onSign,
}: {
  readonly text: string
  readonly isReady: boolean
  /** Null is the account's throw-away wallet. */
  readonly onSign: (wallet: InjectedWallet | null) => void
}) {
  const key = session.value
  const isDisabled = !isReady || step.value.at === 'working' || step.value.at === 'review'
  if (!key) return null
  if (key.wallet === 'throw-away')
    return hasSecret(key.address) ? (
      <p class="row">
        <button type="button" class="primary" disabled={isDisabled} onClick={() => onSign(null)}>
          {text}
        </button>
      </p>
    ) : (
      <SecretFile />
    )
  if (wallets.value.length === 0) return <p class="notice">{W.noWallet}</p>
  return (
    <p class="row">
      {wallets.value.map((wallet) => (
        <button
          key={wallet.id}
          type="button"
          class="primary"
          disabled={isDisabled}
          onClick={() => onSign(wallet)}
        >
          {wallets.value.length > 1 ? `${text} · ${wallet.name || C.unnamed}` : text}
        </button>
      ))}
    </p>
  )
}

function SecretFile() {
  return (
    <div class="notice">
      <p>{W.secret.why}</p>
      <label class="field">
        {W.secret.label}
        <input
          type="file"
          onChange={async (event) => {
            const [file] = event.currentTarget.files ?? []
            const key = session.peek()
            if (!file || !key || file.size > 1000) return
            const { takeSecret } = await import('../../account/owner.ts')
            const isOwn = await takeSecret(key, await file.text())
            if (!isOwn) notify({ kind: 'bad', text: W.secret.other })
          }}
        />
      </label>
    </div>
  )
}

/** How far the wallet’s consent is, and the document that it signs. */
export function Progress({ rows }: { readonly rows: readonly (readonly [string, string])[] }) {
  const { value } = step
  if (value.at !== 'review') return <Working />
  return (
    <Dialog title={W.documentTitle} onClose={leave}>
      <Pairs rows={rows} />
      <DocumentReview document={value.document} onAnswer={value.answer} />
    </Dialog>
  )
}

/** The latest deposits and withdrawals, and how far each is. */
export function Transfers({ rows }: { readonly rows: readonly Exact[] }) {
  const [time, what, amount, fee, status] = W.history.head
  return (
    <section class="panel lists" aria-label={W.history.title}>
      <div class="head">
        <h2>{W.history.title}</h2>
      </div>
      {rows.length === 0 ? (
        <p class="empty">{W.history.empty}</p>
      ) : (
        <Table head={W.history.head}>
          {rows.map((row) => (
            <tr key={textOf(row, 'id')}>
              <Cell name={time}>{dayTime(Number(textOf(row, 'created_time')))}</Cell>
              <Cell name={what}>{W.history.sides[textOf(row, 'side')] ?? textOf(row, 'side')}</Cell>
              <Cell name={amount}>
                {fixed(near(textOf(row, 'amount')), 2)} {textOf(row, 'token')}
              </Cell>
              <Cell name={fee}>{fixed(near(textOf(row, 'fee')), 2)}</Cell>
              <Cell name={status}>
                {W.history.states[textOf(row, 'trans_status')] ?? textOf(row, 'trans_status')}
              </Cell>
            </tr>
          ))}
        </Table>
      )}
    </section>
  )
}
