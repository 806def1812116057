import { type Exact, memberText } from '../../../common/exact-json.ts'
import { dayTime, displayDecimal, fixedText } from '../../../common/format.ts'
import { Pairs, type Rows } from '../../../common/pairs.tsx'
import { type Column, Table } from '../../../common/table.tsx'
import { type InjectedWallet, wallets } from '../../../common/wallets.ts'
import { session } from '../../account/session.ts'
import { hasSecret } from '../../account/wallet-secrets.ts'
import { MONEY_TEXTS } from '../../messages/money.ts'
import { showNotice } from '../../messages/notices.ts'
import { chain, chainsReading, chosenId, transferChains } from '../../money/chains.ts'
import { leaveStep, step } from '../../money/flow.ts'
import { transfers } from '../../money/withdrawal.ts'
import { DocumentReview } from '../connect/review.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { ListPanel } from '../parts/panel.tsx'
import { WalletButtons, Working } from './working.tsx'

/** The selector of the chain. */
export function ChainChoice() {
  const { failure, data } = chainsReading.value
  if (failure && data === null) return <p class="notice">{MONEY_TEXTS.chainsGone}</p>
  return (
    <label class="field">
      {MONEY_TEXTS.chain}
      <select
        value={chain.value?.id}
        onChange={(event) => {
          chosenId.value = Number(event.currentTarget.value)
        }}
      >
        {transferChains.value.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}

/** The buttons that sign for the account: with a wallet of this browser, the secret on this page, or a file with the secret. */
export function SignButtons({ text, isReady, onSign }: SignProps) {
  const key = session.value
  if (!key) return null
  const isStill = !isReady || step.value.at === 'working' || step.value.at === 'review'
  if (key.wallet === 'throw-away' && !hasSecret(key.address)) return <SecretFile />
  if (key.wallet === 'throw-away')
    return (
      <p class="row">
        <button type="button" class="primary" disabled={isStill} onClick={() => void onSign(null)}>
          {text}
        </button>
      </p>
    )
  if (wallets.value.length === 0) return <p class="notice">{MONEY_TEXTS.noWallet}</p>
  return (
    <p class="row">
      <WalletButtons text={text} isStill={isStill} onPress={onSign} />
    </p>
  )
}

type SignProps = {
  readonly text: string
  readonly isReady: boolean
  /** Called with null for the account's throw-away wallet. */
  readonly onSign: (wallet: InjectedWallet | null) => unknown
}

function SecretFile() {
  return (
    <div class="notice">
      <p>{MONEY_TEXTS.secret.why}</p>
      <label class="field">
        {MONEY_TEXTS.secret.label}
        <input
          type="file"
          onChange={async (event) => {
            const [file] = event.currentTarget.files ?? []
            const key = session.peek()
            if (!file || !key || file.size > 1000) return
            const { takeSecret } = (await import('../../account/wallet-bundle.ts')).WALLET_BUNDLE
            const isOwn = await takeSecret(key, await file.text())
            if (!isOwn) showNotice({ kind: 'bad', text: MONEY_TEXTS.secret.other })
          }}
        />
      </label>
    </div>
  )
}

/** The progress of the wallet’s consent. In the step of review, a dialog shows the document to sign. */
export function WalletProgress({ rows }: { readonly rows: Rows }) {
  const { value } = step
  if (value.at !== 'review') return <Working />
  return (
    <Dialog title={MONEY_TEXTS.documentTitle} onClose={leaveStep}>
      <Pairs rows={rows} />
      <DocumentReview document={value.document} onAnswer={value.answer} />
    </Dialog>
  )
}

const { head } = MONEY_TEXTS.history

const TRANSFER_COLUMNS: readonly Column<Exact>[] = [
  [head.time, (row) => dayTime(Number(memberText(row, 'created_time')))],
  [
    head.side,
    (row) => named(MONEY_TEXTS.history.sides, memberText(row, 'side')),
    undefined,
    'text',
  ],
  [
    head.amount,
    (row) =>
      `${fixedText(displayDecimal(memberText(row, 'amount')), 2)} ${memberText(row, 'token')}`,
  ],
  [head.fee, (row) => fixedText(displayDecimal(memberText(row, 'fee')), 2)],
  [
    head.status,
    (row) => named(MONEY_TEXTS.history.states, memberText(row, 'trans_status')),
    undefined,
    'text',
  ],
]

function named(names: Readonly<Record<string, string>>, name: string): string {
  return names[name] ?? name
}

/** The latest deposits and withdrawals with their status; nothing before they are known. */
export function Transfers() {
  const { value: rows } = transfers
  if (!rows) return null
  return (
    <ListPanel title={MONEY_TEXTS.history.title}>
      {rows.length === 0 ? (
        <p class="empty">{MONEY_TEXTS.history.empty}</p>
      ) : (
        <Table columns={TRANSFER_COLUMNS} rows={rows} keyOf={(row) => memberText(row, 'id')} />
      )}
    </ListPanel>
  )
}
