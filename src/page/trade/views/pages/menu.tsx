import { useEffect, useRef } from 'preact/hooks'
import { shownPage } from '../../../common/address.ts'
import { symbol } from '../../market/state.ts'
import { M } from '../../messages/page.ts'
import { PageLink } from '../parts/link.tsx'
import { PAGES } from './rows.ts'

/** Links to every page: a menu beside a market, a row of links on a page that has room for one. */
export function PagesMenu() {
  const list = useRef<HTMLElement>(null)
  const { value: shown } = shownPage
  useEffect(() => list.current?.hidePopover(), [shown])
  return (
    <>
      <button type="button" class="pages-open" popovertarget="pages">
        {M.menu} ▾
      </button>
      <nav id="pages" class="pages" popover="auto" aria-label={M.menu} ref={list}>
        <PageLink page="" market={symbol.value}>
          {M.tabs.trade}
        </PageLink>
        {PAGES.map(({ name, title }) => (
          <PageLink key={name} page={name}>
            {title}
          </PageLink>
        ))}
      </nav>
    </>
  )
}
