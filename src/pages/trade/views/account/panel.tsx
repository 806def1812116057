import { signal } from '@preact/signals'
import { absolute } from '../../../../core/decimals.ts'
import { amountNumber } from '../../../../perp/amounts.ts'
import { dayTime, fill, fixedText, signed, unsignedPercent } from '../../../common/format.ts'
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
import { A } from '../../messages/account.ts'
import { showNotice } from '../../messages/notices.ts'
import { M } from '../../messages/page.ts'
import { N } from '../../messages/pages.ts'
import { sizeText, symbolBase } from '../../orders/text.ts'
import { openConnect } from '../connect/open.tsx'
import { Dialog, shortId } from '../parts/dialog.tsx'
import { PageLink } from '../parts/link.tsx'

/** The account, its margin and its key. */
export function AccountPanel() {
  const key = session.value
  if (!key) return null
  return (
    <section class="panel account" id="account" aria-label={A.account.title}>
      <div class="head">
        <h2>{A.account.title}</h2>
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
      <PageLink page="deposit">{N.deposit}</PageLink>
      <PageLink page="withdraw">{N.withdraw}</PageLink>
      <PageLink page="portfolio">{N.portfolio}</PageLink>
    </p>
  )
}

function Money() {
  const { value } = summary
  if (!value) return <p class="quiet">{M.lists.waiting}</p>
  const hasPosition = heldPositions.value.some(({ isIsolated }) => !isIsolated)
  return (
    <>
      <Pairs
        rows={[
          [A.account.collateral, `${fixedText(value.collateral, 2)} USDC`],
          [A.account.free, `${fixedText(value.free, 2)} USDC`],
          // Without a position, the margin ratio is shown as empty.
          [A.account.ratio, hasPosition ? unsignedPercent(value.marginUsed, 1) : M.none],
          ...dayRows(),
        ]}
      />
      {hasPosition && (
        <meter
          class="used"
          aria-label={A.account.ratio}
          title={A.account.ratioWhy}
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
    amount === null ? A.account.dayUnknown : `${signed(amount, 2)} USDC`
  return [
    [A.account.dayPnl, usdc(net)],
    [A.account.dayFees, usdc(fees)],
    [A.account.dayFunding, usdc(funding)],
  ]
}

function Key({ kept }: { readonly kept: KeptKey }) {
  const { address, publicKey, scope, expiresAtMs, wallet } = kept
  const made = wallet === 'throw-away' ? ` (${A.account.throwAway})` : ''
  return (
    <>
      <Pairs
        rows={[
          [A.account.wallet, shortId(address) + made],
          [A.account.key, shortId(publicKey.replace('ed25519:', ''))],
          [A.account.scope, A.account.scopes[scope] ?? scope],
          [A.account.until, dayTime(expiresAtMs)],
        ]}
      />
      <p class="quiet">{A.account.keyWhy}</p>
      <p class="row">
        <button type="button" onClick={openConnect}>
          {A.account.anew}
        </button>
        <button type="button" onClick={() => askToForget(kept)}>
          {A.account.forget}
        </button>
      </p>
    </>
  )
}

const TEXTS = A.account

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
          {M.cancel}
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
    [size > 0n ? M.long : M.short, sizeText(symbol, absolute(size)), symbolBase(symbol)].join(' '),
  )
  const ordered = orders.value.map(({ symbol, side, size }) =>
    [M.side[side], sizeText(symbol, size), symbolBase(symbol)].join(' '),
  )
  const waiting = conditionals.value.map(({ symbol, kind }) =>
    [A.lists.kinds[kind] ?? kind, symbolBase(symbol)].join(' '),
  )
  return [
    [M.lists.positions, named(held, positionsReading.value.data !== null)],
    [M.lists.orders, named(ordered, ordersReading.value.data !== null)],
    [M.lists.conditional, named(waiting, conditionalReading.value.data !== null)],
  ]
}

const NAMED_MAX = 5

function named(names: readonly string[], isKnown: boolean): string {
  if (!isKnown) return TEXTS.notRead
  const others = names.length - NAMED_MAX
  const shown = names.slice(0, NAMED_MAX)
  if (others > 0) shown.push(fill(TEXTS.andMore, { count: others }))
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
