import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { shownPage } from '../../../common/address.ts'
import { SERVICE, symbol } from '../../market/state.ts'
import { notifyFailure } from '../../messages/notices.ts'
import { PAGE_TEXTS } from '../../messages/page.ts'
import { OTHER_PAGE_TEXTS } from '../../messages/pages.ts'
import { PageLink } from '../parts/link.tsx'
import { PAGES } from './rows.ts'

type Loaded = { readonly name: string; readonly Inside: ComponentType }

const loaded = signal<Loaded | null>(null)
const failed = signal('')

/** The page that the address names, once its code is loaded. */
function Shown() {
  const { value: name } = shownPage
  const main = useRef<HTMLElement>(null)
  const row = PAGES.find((page) => page.name === name)
  useEffect(() => {
    document.title = `${row?.title ?? name} · ${SERVICE}`
    main.current?.focus()
    load(name)
  }, [name])
  return (
    <main class="page" id="page" tabIndex={-1} ref={main} aria-label={row?.title}>
      <Content name={name} isKnown={row !== undefined} />
    </main>
  )
}

function Content({ name, isKnown }: { readonly name: string; readonly isKnown: boolean }) {
  const { value } = loaded
  if (value?.name === name) return <value.Inside />
  if (!isKnown)
    return (
      <p class="empty">
        {OTHER_PAGE_TEXTS.unknown} <PageLink page="">{PAGE_TEXTS.tabs.trade}</PageLink>
      </p>
    )
  if (failed.value !== name) return <p class="empty">{PAGE_TEXTS.lists.waiting}</p>
  return (
    <p class="empty">
      {OTHER_PAGE_TEXTS.failed}{' '}
      <button type="button" onClick={() => load(name)}>
        {PAGE_TEXTS.state.lookAgain}
      </button>
    </p>
  )
}

function Links() {
  return (
    <>
      <PageLink page="" market={symbol.value}>
        {PAGE_TEXTS.tabs.trade}
      </PageLink>
      {PAGES.map(({ name, title }) => (
        <PageLink key={name} page={name}>
          {title}
        </PageLink>
      ))}
    </>
  )
}

/** The components of other pages that the trading page loads later. */
export const PAGE_VIEWS = { Links, Shown } as const

function load(name: string): void {
  failed.value = ''
  PAGES.find((page) => page.name === name)
    ?.load()
    .then(
      (Inside) => {
        loaded.value = { name, Inside }
      },
      (error: unknown) => {
        failed.value = name
        notifyFailure(error)
      },
    )
}
