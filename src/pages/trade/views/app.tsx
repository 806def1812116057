import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { shownPage } from '../../common/address.ts'
import { heldPositions } from '../account/state.ts'
import { IS_EMBEDDED, IS_PAPER } from '../market/state.ts'
import { dismiss, notices } from '../messages/notices.ts'
import { PAGE_TEXTS } from '../messages/page.ts'
import { Banners, hasOldFigures } from './banners.tsx'
import { BookPanel } from './book.tsx'
import { ChartPanel } from './chart-panel.tsx'
import { ConnectDialogSlot } from './connect/open.tsx'
import { Header } from './header.tsx'
import { Lists } from './lists.tsx'
import { accountViews } from './load-account.ts'
import { MarketList } from './market-list.tsx'
import { PageSlot } from './pages/menu.tsx'
import { sidePanel } from './parts/side-panel.tsx'
import { TradesPanel } from './tape.tsx'

const TABS = ['markets', 'chart', 'book', 'trade', 'account'] as const

/** The panel that a small screen shows. */
const tab = signal<(typeof TABS)[number]>('chart')

/** The trading page or another page, with shared header, footer and notices. */
export function TradeApp() {
  const isPage = shownPage.value !== ''
  return (
    <>
      <a class="skip" href={isPage ? '#page' : '#ticket'}>
        {isPage ? PAGE_TEXTS.skipToPage : PAGE_TEXTS.skip}
      </a>
      <Header />
      <Banners />
      {isPage ? <PageSlot /> : <Trading />}
      <Footer />
      {!isPage && <Tabs />}
      <NoticeStack />
      {accountViews.value && <accountViews.value.Dialogs />}
      <ConnectDialogSlot />
      {!isPage && ticket.value && <ticket.value.Keys />}
    </>
  )
}

/** The trading page: all panels on a large screen, one at a time on a small screen. */
function Trading() {
  return (
    <main data-tab={tab.value} data-beside={sidePanel.value} data-old={hasOldFigures()}>
      <MarketList onChoose={() => show('chart')} />
      <ChartPanel />
      <BookPanel />
      <TradesPanel />
      <div class="side">
        <TicketSlot />
        {accountViews.value && <accountViews.value.AccountPanel />}
      </div>
      <Lists />
    </main>
  )
}

function Tabs() {
  return (
    <nav class="tabs" aria-label={PAGE_TEXTS.market}>
      {TABS.map((name) => (
        <button
          key={name}
          type="button"
          aria-pressed={tab.value === name}
          onClick={() => show(name)}
        >
          {PAGE_TEXTS.tabs[name]}
          {name === 'account' && heldPositions.value.length > 0 && (
            <b class="count">{heldPositions.value.length}</b>
          )}
        </button>
      ))}
    </nav>
  )
}

function show(name: (typeof TABS)[number]): void {
  tab.value = name
}

function Footer() {
  return (
    <footer>
      {IS_EMBEDDED && <span>{IS_PAPER ? PAGE_TEXTS.paperWhy : PAGE_TEXTS.embeddedWhy}</span>}
      <span class="end">
        {PAGE_TEXTS.foot.charts}{' '}
        <a href="https://www.tradingview.com/" rel="noreferrer">
          TradingView
        </a>
        {' · '}
        <a href="/trade/NOTICE">{PAGE_TEXTS.foot.notice}</a>
        {' · '}
        <a href="/swagger">{PAGE_TEXTS.foot.reference}</a>
      </span>
    </footer>
  )
}

/** The order form and its keyboard shortcuts, loaded after the first paint. */
export const ticket = signal<{
  readonly Inside: ComponentType
  readonly Keys: ComponentType
} | null>(null)

function TicketSlot() {
  const { value } = ticket
  return (
    <section class="panel ticket" id="ticket" aria-label={PAGE_TEXTS.ticketTitle}>
      {value && <value.Inside />}
    </section>
  )
}

/** The notices of the page, the newest last. */
function NoticeStack() {
  return (
    <div class="notes" role="log" aria-live="polite">
      {notices.value.map(({ id, kind, text, next, action }) => (
        <div class={`note ${kind}`} key={id}>
          <div>
            <p>{text}</p>
            {next !== '' && <p class="quiet">{next}</p>}
            {action && (
              <button
                type="button"
                class="link"
                onClick={() => {
                  dismiss(id)
                  action.run()
                }}
              >
                {action.label}
              </button>
            )}
          </div>
          <button
            type="button"
            class="plain"
            aria-label={PAGE_TEXTS.dismiss}
            onClick={() => dismiss(id)}
          >
            ✕
          </button>
        </div>
      ))}
    </div>
  )
}
