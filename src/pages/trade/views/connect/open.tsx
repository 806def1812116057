import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { notifyFailure } from '../../messages/notices.ts'

type DialogComponent = ComponentType<{ readonly onClose: () => void }>

const isOpen = signal(false)
const dialog = signal<{ readonly Inside: DialogComponent } | null>(null)

/** Opens the way to an account. Its code is loaded when the reader asks for it. */
export function openConnect(): void {
  isOpen.value = true
  import('./dialog.tsx').then(
    ({ ConnectDialog }) => {
      dialog.value = { Inside: ConnectDialog }
    },
    (error: unknown) => {
      isOpen.value = false
      notifyFailure(error)
    },
  )
}

function shut(): void {
  isOpen.value = false
}

/** The place of the dialog after it is opened. */
export function ConnectDialogSlot() {
  const { value } = dialog
  if (!isOpen.value || !value) return null
  return <value.Inside onClose={shut} />
}
