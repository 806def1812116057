import type { ComponentChildren } from 'preact'
import { navigateTo, shownPage } from '../../../common/address.ts'

type Props = {
  /** The address segment of another page; '' for the trading page. */
  readonly page: string
  /** The market for the trading page. */
  readonly market?: string
  readonly class?: string
  readonly children: ComponentChildren
}

/** A link to a page of this document, which keeps the loaded data and the open account. */
export function PageLink({ page, market = '', class: look, children }: Props) {
  const path = page || market ? `/trade/${page || market}` : '/trade'
  return (
    <a
      href={path}
      class={look}
      aria-current={shownPage.value === page ? 'page' : undefined}
      onClick={(event) => {
        const opensApart = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey
        if (opensApart || event.button !== 0) return
        event.preventDefault()
        navigateTo(path)
      }}
    >
      {children}
    </a>
  )
}
