import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { ageText, filledTemplate } from '../../../common/format.ts'
import { second } from '../../feed/clock.ts'
import type { TopicReading } from '../../feed/feed.ts'
import { PAGE_TEXTS } from '../../messages/page.ts'
import { openInHistory } from './dialog-history.ts'

/** A shortened id, such as `0x1234…abcd`. */
export function shortId(id: string): string {
  return id.length > 12 ? `${id.slice(0, 6)}…${id.slice(-4)}` : id
}

/** Shows the age of a reading that is older than `afterMs`. */
export function Stale({
  reading,
  afterMs,
}: {
  readonly reading: TopicReading
  readonly afterMs: number
}) {
  const oldMs = second.value - reading.atMs
  if (reading.isLive || reading.atMs === 0 || oldMs <= afterMs) return null
  const values = { age: ageText(oldMs) }
  return (
    <span class="stale" title={filledTemplate(PAGE_TEXTS.state.staleWhy, values)}>
      {filledTemplate(PAGE_TEXTS.state.stale, values)}
    </span>
  )
}

type Shown = {
  readonly title: string
  /** The side of the dialog's order. It sets the dialog's colour. */
  readonly tone?: 'buy' | 'sell' | undefined
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/**
 * The selectors of the element that gets the focus first: a marked field, else the first field or main button, else the
 * first button.
 */
const FIRST = [
  '[data-first]',
  '.inside :is(input:not([type=checkbox]), select, .primary):enabled',
  '.inside :is(input, button):enabled',
] as const

/** A modal dialog. The browser keeps the focus inside. Escape and the browser's Back button close the dialog. */
export function Dialog({ title, tone, onClose, children }: Shown) {
  const element = useRef<HTMLDialogElement>(null)
  const close = useRef(onClose)
  close.current = onClose
  // A layout effect, so that the focus is set before the user can press a key.
  useLayoutEffect(() => {
    const { current } = element
    current?.showModal()
    const found = FIRST.map((each) => current?.querySelector<HTMLElement>(each))
    found.find((each) => each)?.focus()
    return openInHistory(() => close.current())
  }, [])
  return (
    <dialog ref={element} onClose={onClose} aria-label={title}>
      <div class="head">
        <h2 class={tone}>{title}</h2>
        <button type="button" class="plain end" aria-label={PAGE_TEXTS.close} onClick={onClose}>
          ✕
        </button>
      </div>
      <div class="inside">{children}</div>
    </dialog>
  )
}
