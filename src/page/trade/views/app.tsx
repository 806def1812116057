import { signal } from '@preact/signals'
import { IS_EMBEDDED } from '../market/state.ts'
import { W } from '../words/words.ts'
import { Banners } from './banners.tsx'
import { Book } from './book.tsx'
import { ChartPanel } from './chart-panel.tsx'
import { ConnectDoor } from './connect-door.tsx'
import { desk } from './desk-door.ts'
import { Header } from './header.tsx'
import { Lists } from './lists.tsx'
import { MarketList } from './market-list.tsx'
import { NoteStack } from './note-stack.tsx'
import { Tape } from './tape.tsx'
import { TicketDoor } from './ticket-door.tsx'

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
