import type { ComponentChildren } from 'preact'

type PanelProps = {
  readonly title: string
  /** The heading, if it differs from the title; null hides it. */
  readonly heading?: string | null
  readonly end?: ComponentChildren
  readonly isBusy?: boolean
  readonly children: ComponentChildren
}

/** A titled section of a page. */
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

/** A section of a page: a list with a title. */
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
