import { signal } from '@preact/signals'
import { amountNumber } from '../../../../perp/amounts.ts'
import { dayTime, fixedText, signed, unsignedPercent } from '../../../common/format.ts'
import { Pairs, type Rows } from '../../../common/pairs.tsx'
import { keyState, session } from '../../account/session.ts'
import { heldPositions } from '../../account/state.ts'
import { accountDayPnl, summary } from '../../account/summary.ts'
import type { KeptKey } from '../../account/trading-key.ts'
import { ACCOUNT_TEXTS } from '../../messages/account.ts'
import { PAGE_TEXTS } from '../../messages/page.ts'
import { OTHER_PAGE_TEXTS } from '../../messages/pages.ts'
import { openConnect } from '../connect/open.tsx'
import { shortId } from '../parts/dialog.tsx'
import { lazyDialog } from '../parts/lazy-dialog.tsx'
import { PageLink } from '../parts/link.tsx'

/** The account, its margin and its key. */
export function AccountPanel() {
  const key = session.value
  if (!key) return null
  return (
    <section class="panel account" id="account" aria-label={ACCOUNT_TEXTS.account.title}>
      <div class="head">
        <h2>{ACCOUNT_TEXTS.account.title}</h2>
        <span class="end quiet" title={key.accountId}>
          {shortId(key.accountId)}
        </span>
      </div>
      <div class="inside">
        {keyState.value === 'active' && <Money />}
        <Moves />
        <Key kept={key} />
      </div>
      {forgetting.value && (
        <ForgetDialog
          kept={forgetting.value}
          onClose={() => {
            forgetting.value = null
          }}
        />
      )}
    </section>
  )
}

/** The key that the user is about to delete. */
const forgetting = signal<KeptKey | null>(null)

const ForgetDialog = lazyDialog(() =>
  import('./forget-dialog.tsx').then((code) => code.ForgetDialog),
)

/** Links to deposits, withdrawals and the portfolio. */
function Moves() {
  return (
    <p class="row">
      <PageLink page="deposit">{OTHER_PAGE_TEXTS.deposit}</PageLink>
      <PageLink page="withdraw">{OTHER_PAGE_TEXTS.withdraw}</PageLink>
      <PageLink page="portfolio">{OTHER_PAGE_TEXTS.portfolio}</PageLink>
    </p>
  )
}

function Money() {
  const { value } = summary
  if (!value) return <p class="quiet">{PAGE_TEXTS.lists.waiting}</p>
  const hasPosition = heldPositions.value.some(({ isIsolated }) => !isIsolated)
  return (
    <>
      <Pairs
        rows={[
          [ACCOUNT_TEXTS.account.collateral, `${fixedText(value.collateral, 2)} USDC`],
          [ACCOUNT_TEXTS.account.free, `${fixedText(value.free, 2)} USDC`],
          // Without a position, the margin ratio is shown as empty.
          [
            ACCOUNT_TEXTS.account.ratio,
            hasPosition ? unsignedPercent(value.marginUsed, 1) : PAGE_TEXTS.none,
          ],
          ...dayRows(),
        ]}
      />
      {hasPosition && (
        <meter
          class="used"
          aria-label={ACCOUNT_TEXTS.account.ratio}
          title={ACCOUNT_TEXTS.account.ratioWhy}
          max={1}
          low={0.5}
          high={0.8}
          optimum={0}
          value={amountNumber(value.marginUsed)}
        />
      )}
    </>
  )
}

/** Rows of the change of the account's value in 24 hours, and its parts by fees and funding. */
function dayRows(): Rows {
  const { net, fees, funding } = accountDayPnl.value
  const usdc = (amount: bigint | null) =>
    amount === null ? ACCOUNT_TEXTS.account.dayUnknown : `${signed(amount, 2)} USDC`
  return [
    [ACCOUNT_TEXTS.account.dayPnl, usdc(net)],
    [ACCOUNT_TEXTS.account.dayFees, usdc(fees)],
    [ACCOUNT_TEXTS.account.dayFunding, usdc(funding)],
  ]
}

function Key({ kept }: { readonly kept: KeptKey }) {
  const { address, publicKey, scope, expiresAtMs, wallet } = kept
  const made = wallet === 'throw-away' ? ` (${ACCOUNT_TEXTS.account.throwAway})` : ''
  return (
    <>
      <Pairs
        rows={[
          [ACCOUNT_TEXTS.account.wallet, shortId(address) + made],
          [ACCOUNT_TEXTS.account.key, shortId(publicKey.replace('ed25519:', ''))],
          [ACCOUNT_TEXTS.account.scope, ACCOUNT_TEXTS.account.scopes[scope] ?? scope],
          [ACCOUNT_TEXTS.account.until, dayTime(expiresAtMs)],
        ]}
      />
      <p class="quiet">{ACCOUNT_TEXTS.account.keyWhy}</p>
      <p class="row">
        <button type="button" onClick={openConnect}>
          {ACCOUNT_TEXTS.account.anew}
        </button>
        <button
          type="button"
          onClick={() => {
            forgetting.value = kept
          }}
        >
          {ACCOUNT_TEXTS.account.forget}
        </button>
      </p>
    </>
  )
}
