import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { shownPage } from '../../../common/address.ts'
import { notifyFailure } from '../../messages/notices.ts'
import { PAGE_TEXTS } from '../../messages/page.ts'

type Pages = typeof import('./slot.tsx')['PAGE_VIEWS']

/** The links between pages and the shown page; null until their code is loaded. */
const pageViews = signal<Pages | null>(null)

function load(): void {
  import('./slot.tsx').then(({ PAGE_VIEWS }) => {
    pageViews.value = PAGE_VIEWS
  }, notifyFailure)
}

/** Links to every page: a menu on the trading page, a row of links on other pages if there is room. */
export function PagesMenu() {
  const list = useRef<HTMLElement>(null)
  const { value: shown } = shownPage
  // The menu is hidden at first, so its code is loaded after the first paint.
  useEffect(load, [])
  useEffect(() => list.current?.hidePopover(), [shown])
  return (
    <>
      <button type="button" class="pages-open" popovertarget="pages">
        {PAGE_TEXTS.menu} ▾
      </button>
      <nav id="pages" class="pages" popover="auto" aria-label={PAGE_TEXTS.menu} ref={list}>
        {pageViews.value && <pageViews.value.Links />}
      </nav>
    </>
  )
}

/** The slot of a page other than trading. */
export function PageSlot() {
  const { value: views } = pageViews
  return views ? <views.Shown /> : <main class="page" id="page" />
}
