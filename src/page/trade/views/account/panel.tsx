import { dayTime, fixed, signed, unsignedPercent } from '../../../common/format.ts'
import { Pairs } from '../../../common/pairs.tsx'
import { keyState, session } from '../../account/session.ts'
import { positions, summary } from '../../account/state.ts'
import type { KeptKey } from '../../account/trading-key.ts'
import { A } from '../../messages/account.ts'
import { M } from '../../messages/page.ts'
import { N } from '../../messages/pages.ts'
import { openConnect } from '../connect/open.tsx'
import { shortId } from '../parts/dialog.tsx'
import { PageLink } from '../parts/link.tsx'
import { askToForget, ForgetDialog } from './forget-dialog.tsx'

/** Who trades here, with what, and until when. */
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

/** The ways of money into the account and out of it. */
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
  const { maintenanceRatio: limit } = value
  const hasPosition = positions.value.some(({ isIsolated }) => !isIsolated)
  return (
    <Pairs
      rows={[
        [A.account.collateral, `${fixed(value.collateral, 2)} USDC`],
        [A.account.free, `${fixed(value.free, 2)} USDC`],
        // Without a position the venue answers a ratio that stands for none.
        [A.account.ratio, hasPosition ? unsignedPercent(value.marginRatio, 1) : M.none],
        [A.account.liquidated, hasPosition && limit > 0n ? unsignedPercent(limit) : M.none],
        [A.account.dayPnl, `${signed(value.dayPnl, 2)} USDC`],
      ]}
    />
  )
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
          {M.account.anew}
        </button>
        <button type="button" onClick={() => askToForget(kept)}>
          {A.account.forget}
        </button>
      </p>
    </>
  )
}
