import { shownPage } from '../../common/address.ts'
import { changeTone, compact, countdown, fixedText, percent, signed } from '../../common/format.ts'
import { toggleTheme } from '../../common/theme.ts'
import { isSessionKnown, keyState, session } from '../account/session.ts'
import { serverSecond } from '../feed/clock.ts'
import type { ListedMarket } from '../market/rows.ts'
import {
  decimalPlaces,
  IS_EMBEDDED,
  IS_PAPER,
  liveMarkets,
  SERVICE,
  showMarket,
  shownMarket,
  symbol,
} from '../market/state.ts'
import { PAGE_TEXTS } from '../messages/page.ts'
import { showsKeys } from '../orders/switches.ts'
import { openConnect } from './connect/open.tsx'
import { PagesMenu } from './pages/menu.tsx'
import { shortId } from './parts/dialog.tsx'

/** The page's header: the menu of pages, the market with its figures, and the account. */
export function Header() {
  const { value } = shownMarket
  const isPage = shownPage.value !== ''
  return (
    <header class={isPage ? 'of-page' : ''}>
      <PagesMenu />
      <span class="brand">
        <img src="/favicon.svg" alt="" width="18" height="18" />
        <b>{SERVICE}</b>
        {IS_EMBEDDED && (
          <span class="badge" title={IS_PAPER ? PAGE_TEXTS.paperWhy : PAGE_TEXTS.embeddedWhy}>
            {IS_PAPER ? PAGE_TEXTS.paper : PAGE_TEXTS.embedded}
          </span>
        )}
      </span>
      {!isPage && (
        <>
          <h1>{value ? `${value.base}-PERP` : PAGE_TEXTS.none}</h1>
          <Picker />
          {value && <Stats market={value} />}
        </>
      )}
      <span class="end">
        <button
          type="button"
          class="plain theme"
          title={PAGE_TEXTS.theme}
          aria-label={PAGE_TEXTS.theme}
          onClick={toggleTheme}
        >
          ◐
        </button>
        {!isPage && (
          <button
            type="button"
            class="plain keys"
            title={PAGE_TEXTS.keys}
            aria-label={PAGE_TEXTS.keys}
            onClick={() => {
              showsKeys.value = true
            }}
          >
            ?
          </button>
        )}
        <AccountMenu />
      </span>
    </header>
  )
}

/** The market selector, for layouts without the list of markets. */
function Picker() {
  return (
    <select
      class="picker"
      aria-label={PAGE_TEXTS.market}
      value={symbol.value}
      onChange={(event) => showMarket(event.currentTarget.value)}
    >
      {liveMarkets.value.map((row) => (
        <option key={row.symbol} value={row.symbol}>
          {row.base}-PERP
        </option>
      ))}
    </select>
  )
}

function Stats({ market: row }: { readonly market: ListedMarket }) {
  const price = (amount: bigint) => fixedText(amount, decimalPlaces.value.price)
  const change = changeTone(row.changePct, 2)
  return (
    <dl class="stats">
      <Stat name={PAGE_TEXTS.stats.mark} value={price(row.mark)} class={`big ${change}`} />
      <Stat name={PAGE_TEXTS.stats.change} value={`${signed(row.changePct, 2)}%`} class={change} />
      <Stat name={PAGE_TEXTS.stats.index} value={price(row.index)} />
      <Stat name={PAGE_TEXTS.stats.range} value={`${price(row.low24h)} – ${price(row.high24h)}`} />
      <Stat name={PAGE_TEXTS.stats.volume} value={compact(row.amount24h)} />
      <Stat name={PAGE_TEXTS.stats.interest} value={`${compact(row.openInterest)} ${row.base}`} />
      <Stat
        name={PAGE_TEXTS.stats.funding}
        value={`${percent(row.fundingRate, 4)} ${countdown(row.nextFundingMs - serverSecond.value)}`}
      />
    </dl>
  )
}

function Stat(props: { readonly name: string; readonly value: string; readonly class?: string }) {
  return (
    <div>
      <dt>{props.name}</dt>
      <dd class={props.class}>{props.value}</dd>
    </div>
  )
}

function AccountMenu() {
  const key = session.value
  if (!isSessionKnown.value) return <span class="who" />
  if (!key || keyState.value !== 'active') {
    return (
      <button type="button" class="primary" onClick={openConnect}>
        {PAGE_TEXTS.account.open}
      </button>
    )
  }
  return (
    <a class="who" href="#account" title={key.address}>
      {shortId(key.address)}
    </a>
  )
}
