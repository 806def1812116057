import type { ComponentChildren, ComponentProps } from 'preact'
import { PAGE_TEXTS } from '../../messages/page.ts'
import { Dialog } from './dialog.tsx'

type Props = Omit<ComponentProps<typeof Dialog>, 'tone'> & {
  /** The text of the submit button; `tone` is the side whose colour the button has. */
  readonly submit: string
  readonly tone?: 'buy' | 'sell'
  /** Whether the form can be sent. */
  readonly isReady: boolean
  readonly onSubmit: () => unknown
  /** An additional button before the two standard buttons. */
  readonly more?: ComponentChildren
}

/** A dialog with a form that is submitted once and then closes. */
export function FormDialog(props: Props) {
  const { title, onClose, submit, tone = '', isReady, onSubmit, more, children } = props
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (!isReady) return
          onClose()
          void onSubmit()
        }}
      >
        {children}
        <p class="row end">
          {more}
          <button type="button" onClick={onClose}>
            {PAGE_TEXTS.cancel}
          </button>
          <button type="submit" class={`primary ${tone}`} disabled={!isReady}>
            {submit}
          </button>
        </p>
      </form>
    </Dialog>
  )
}
