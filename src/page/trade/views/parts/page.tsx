import type { ComponentChildren } from 'preact'
import { keyState } from '../../account/session.ts'
import { M } from '../../messages/page.ts'
import { openConnect } from '../connect/open.tsx'

type PageProps = {
  readonly title: string
  /** What stands beside the title, and what the page is for. */
  readonly end?: ComponentChildren
  readonly why?: string
  /** What a page that needs an account says without one. */
  readonly nobody?: string
  readonly children: ComponentChildren
}

/** A page beside trading, below its title. */
export function PageFrame({ title, end, why, nobody, children }: PageProps) {
  const isOpen = nobody === undefined || keyState.value === 'active'
  return (
    <>
      <div class="title">
        <h1>{title}</h1>
        {end}
      </div>
      {why && <p class="quiet">{why}</p>}
      {isOpen ? children : <Nobody text={nobody} />}
    </>
  )
}

/** Says that something needs an account, and opens the way to one. */
export function Nobody({ text }: { readonly text: string }) {
  return (
    <section class="panel inset">
      <p>{text}</p>
      <p class="row">
        <button type="button" class="primary" onClick={openConnect}>
          {M.account.open}
        </button>
      </p>
    </section>
  )
}

type PanelProps = {
  readonly title: string
  /** What stands in its head, where that is not the title; null is no head. */
  readonly heading?: string | null
  readonly end?: ComponentChildren
  readonly isBusy?: boolean
  readonly children: ComponentChildren
}

/** A part of a page. */
export function Panel({ title, heading = title, end, isBusy, children }: PanelProps) {
  return (
    <section class="panel" aria-label={title} aria-busy={isBusy}>
      {heading !== null && (
        <div class="head">
          <h2>{heading}</h2>
          {end}
        </div>
      )}
      <div class="inside">{children}</div>
    </section>
  )
}

/** A part of a page that is a list. */
export function ListPanel({ title, end, isBusy, children }: Omit<PanelProps, 'heading'>) {
  return (
    <section class="panel lists" aria-label={title} aria-busy={isBusy}>
      <div class="head">
        <h2>{title}</h2>
        {end}
      </div>
      {children}
    </section>
  )
}
