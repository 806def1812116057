import { signal } from '@preact/signals'
import { absolute } from '../../../../core/decimals.ts'
import { amountNumber } from '../../../../perp/amounts.ts'
import {
  dayTime,
  filledTemplate,
  fixedText,
  signed,
  unsignedPercent,
} from '../../../common/format.ts'
import { Pairs, type Rows } from '../../../common/pairs.tsx'
import { dropEncrypted } from '../../account/encrypted-secrets.ts'
import { forgetKey, keyState, session } from '../../account/session.ts'
import {
  conditionalReading,
  conditionals,
  heldPositions,
  orders,
  ordersReading,
  positionsReading,
} from '../../account/state.ts'
import { accountDayPnl, summary } from '../../account/summary.ts'
import type { KeptKey } from '../../account/trading-key.ts'
import { hasSecret, saveSecret } from '../../account/wallet-secrets.ts'
import { ACCOUNT_TEXTS } from '../../messages/account.ts'
import { showNotice } from '../../messages/notices.ts'
import { PAGE_TEXTS } from '../../messages/page.ts'
import { OTHER_PAGE_TEXTS } from '../../messages/pages.ts'
import { sizeText, symbolBase } from '../../orders/text.ts'
import { openConnect } from '../connect/open.tsx'
import { Dialog, shortId } from '../parts/dialog.tsx'
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
      <ForgetDialog />
    </section>
  )
}

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
        <button type="button" onClick={() => askToForget(kept)}>
          {ACCOUNT_TEXTS.account.forget}
        </button>
      </p>
    </>
  )
}

const TEXTS = ACCOUNT_TEXTS.account

/** The key that the user is about to delete. */
const asked = signal<KeptKey | null>(null)

/** Opens the question whether to delete the key. */
function askToForget(key: KeptKey): void {
  asked.value = key
}

function shut(): void {
  asked.value = null
}

/**
 * The dialog that confirms deleting the key. It names open positions and orders and what is lost, and offers the
 * wallet's secret if the page has it.
 */
function ForgetDialog() {
  const { value: key } = asked
  // Shows nothing if another tab has deleted the key meanwhile.
  if (!key || session.value?.publicKey !== key.publicKey) return null
  const isSaveable = hasSecret(key.address)
  return (
    <Dialog title={TEXTS.forget} onClose={shut}>
      <Pairs rows={openRows()} />
      <p class="notice">{keyLossText(key, isSaveable)}</p>
      <p class="row end">
        {isSaveable && (
          <button type="button" onClick={() => saveSecret(key.address)}>
            {TEXTS.saveSecret}
          </button>
        )}
        <button type="button" class="primary" onClick={shut}>
          {PAGE_TEXTS.cancel}
        </button>
        <button type="button" onClick={() => void drop(key)}>
          {TEXTS.forgetNow}
        </button>
      </p>
    </Dialog>
  )
}

/** Rows that name the open positions and orders, or say that they could not be read. */
function openRows(): Rows {
  const held = heldPositions.value.map(({ symbol, size }) =>
    [
      size > 0n ? PAGE_TEXTS.long : PAGE_TEXTS.short,
      sizeText(symbol, absolute(size)),
      symbolBase(symbol),
    ].join(' '),
  )
  const ordered = orders.value.map(({ symbol, side, size }) =>
    [PAGE_TEXTS.side[side], sizeText(symbol, size), symbolBase(symbol)].join(' '),
  )
  const waiting = conditionals.value.map(({ symbol, kind }) =>
    [ACCOUNT_TEXTS.lists.kinds[kind] ?? kind, symbolBase(symbol)].join(' '),
  )
  return [
    [PAGE_TEXTS.lists.positions, named(held, positionsReading.value.data !== null)],
    [PAGE_TEXTS.lists.orders, named(ordered, ordersReading.value.data !== null)],
    [PAGE_TEXTS.lists.conditional, named(waiting, conditionalReading.value.data !== null)],
  ]
}

const NAMED_MAX = 5

function named(names: readonly string[], isKnown: boolean): string {
  if (!isKnown) return TEXTS.notRead
  const others = names.length - NAMED_MAX
  const shown = names.slice(0, NAMED_MAX)
  if (others > 0) shown.push(filledTemplate(TEXTS.andMore, { count: others }))
  return shown.join(', ') || TEXTS.noneOpen
}

function keyLossText({ wallet }: KeptKey, isSaveable: boolean): string {
  if (wallet === 'injected') return TEXTS.loss.injected
  return isSaveable ? TEXTS.loss.saveable : TEXTS.loss.gone
}

async function drop({ address, wallet }: KeptKey): Promise<void> {
  shut()
  try {
    // The secret is deleted before the key, so that a failed deletion can be repeated.
    if (wallet === 'throw-away') await dropEncrypted(address)
    await forgetKey()
    showNotice({ kind: 'good', text: TEXTS.forgot })
  } catch {
    showNotice({ kind: 'bad', text: TEXTS.notForgotten })
  }
}
