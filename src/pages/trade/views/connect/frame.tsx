import type { ComponentChildren } from 'preact'
import { keyState } from '../../account/session.ts'
import { PAGE_TEXTS } from '../../messages/page.ts'
import { openConnect } from './open.tsx'

type PageProps = {
  readonly title: string
  /** The element beside the title. */
  readonly end?: ComponentChildren
  readonly why?: string
  /** The text that the page shows while no account is open; absent if the page works without an account. */
  readonly nobody?: string
  readonly children: ComponentChildren
}

/** The frame of a page other than trading: its title, purpose and content. */
export function PageFrame({ title, end, why, nobody, children }: PageProps) {
  const isOpen = nobody === undefined || keyState.value === 'active'
  return (
    <>
      <div class="title">
        <h1>{title}</h1>
        {end}
      </div>
      {why && <p class="quiet">{why}</p>}
      {isOpen ? children : <NoAccount text={nobody} />}
    </>
  )
}

/** Says that a page needs an account, and shows the button that opens an account. */
export function NoAccount({ text }: { readonly text: string }) {
  return (
    <section class="panel inset">
      <p>{text}</p>
      <p class="row">
        <button type="button" class="primary" onClick={openConnect}>
          {PAGE_TEXTS.account.open}
        </button>
      </p>
    </section>
  )
}
