import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { notifyFailure } from '../../messages/notices.ts'

type Closable = { readonly onClose: () => void }

/** A dialog whose code is loaded when it is opened. If the code cannot be loaded, it is closed with a notice. */
export function lazyDialog<Props extends Closable>(load: () => Promise<ComponentType<Props>>) {
  const loaded = signal<{ readonly Inside: ComponentType<Props> } | null>(null)
  return (props: Props) => {
    useEffect(() => {
      load().then(
        (Inside) => {
          loaded.value = { Inside }
        },
        (error: unknown) => {
          props.onClose()
          notifyFailure(error)
        },
      )
    }, [])
    return loaded.value && <loaded.value.Inside {...props} />
  }
}
