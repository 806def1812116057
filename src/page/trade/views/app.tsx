import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { IS_EMBEDDED } from '../market/state.ts'
import { dismiss, notes, tellFailure } from '../messages/notices.ts'
import { W } from '../messages/page.ts'
import { Banners } from './banners.tsx'
import { Book } from './book.tsx'
import { ChartPanel } from './chart-panel.tsx'
import { ConnectDoor } from './connect/open.tsx'
import { Header } from './header.tsx'
import { Lists } from './lists.tsx'
import { desk } from './load-account.ts'
import { MarketList } from './market-list.tsx'
import { Tape } from './tape.tsx'

const TABS = ['markets', 'chart', 'book', 'trade', 'account'] as const

/** Which part a small screen shows. */
const tab = signal<(typeof TABS)[number]>('chart')

/** The whole page: everything at once where there is room, a part at a time where there is not. */
export function App() {
  return (
    <>
      <a class="skip" href="#ticket">
        {W.skip}
      </a>
      <Header />
      <Banners />
      <main data-tab={tab.value}>
        <MarketList onChoose={() => show('chart')} />
        <ChartPanel />
        <Book />
        <Tape />
        <div class="side">
          <TicketDoor />
          {desk.value && <desk.value.AccountPanel />}
        </div>
        <Lists />
      </main>
      <Footer />
      <nav class="tabs" aria-label={W.market}>
        {TABS.map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={tab.value === name}
            onClick={() => show(name)}
          >
            {W.tabs[name]}
          </button>
        ))}
      </nav>
      <NoteStack />
      {desk.value && <desk.value.ConfirmDialog />}
      <ConnectDoor />
    </>
  )
}

function show(name: (typeof TABS)[number]): void {
  tab.value = name
}

function Footer() {
  return (
    <footer>
      {IS_EMBEDDED && <span>{W.embeddedWhy}</span>}
      <span class="end">
        {W.foot.charts}{' '}
        <a href="https://www.tradingview.com/" rel="noreferrer">
          TradingView
        </a>
        {' · '}
        <a href="/trade/NOTICE">{W.foot.notice}</a>
        {' · '}
        <a href="/swagger">{W.foot.reference}</a>
      </span>
    </footer>
  )
}

const ticket = signal<{ readonly Inside: ComponentType } | null>(null)

/** The place of the order form, which comes once what is looked at first has been painted. */
function TicketDoor() {
  useEffect(() => {
    import('./ticket.tsx').then(({ Ticket }) => {
      ticket.value = { Inside: Ticket }
    }, tellFailure)
  }, [])
  const { value } = ticket
  return (
    <section class="panel ticket" id="ticket" aria-label={W.ticketTitle}>
      {value && <value.Inside />}
    </section>
  )
}

/** What the page has to say about what was done, the newest last. */
function NoteStack() {
  return (
    <div class="notes" role="log" aria-live="polite">
      {notes.value.map(({ id, kind, text, next, action }) => (
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
          <button type="button" class="plain" aria-label={W.dismiss} onClick={() => dismiss(id)}>
            ✕
          </button>
        </div>
      ))}
    </div>
  )
}
