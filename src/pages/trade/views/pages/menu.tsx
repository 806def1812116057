import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { shownPage } from '../../../common/address.ts'
import { notifyFailure } from '../../messages/notices.ts'
import { M } from '../../messages/page.ts'

type Pages = typeof import('./slot.tsx')['PAGE_VIEWS']

/** The links between pages and the page that is shown; null before their code has come. */
const pageViews = signal<Pages | null>(null)

function load(): void {
  import('./slot.tsx').then(({ PAGE_VIEWS }) => {
    pageViews.value = PAGE_VIEWS
  }, notifyFailure)
}

/** Links to every page: a menu beside a market, a row of links on a page that has room for one. */
export function PagesMenu() {
  const list = useRef<HTMLElement>(null)
  const { value: shown } = shownPage
  // The menu is hidden at first, so its code comes after the first paint.
  useEffect(load, [])
  useEffect(() => list.current?.hidePopover(), [shown])
  return (
    <>
      <button type="button" class="pages-open" popovertarget="pages">
        {M.menu} ▾
      </button>
      <nav id="pages" class="pages" popover="auto" aria-label={M.menu} ref={list}>
        {pageViews.value && <pageViews.value.Links />}
      </nav>
    </>
  )
}

/** The place of a page beside trading. */
export function PageSlot() {
  const { value: views } = pageViews
  return views ? <views.Shown /> : <main class="page" id="page" />
}
