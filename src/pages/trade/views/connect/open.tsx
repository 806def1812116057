import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { notifyFailure } from '../../messages/notices.ts'

type DialogComponent = ComponentType<{ readonly onClose: () => void }>

const isOpen = signal(false)
const dialog = signal<{ readonly Inside: DialogComponent } | null>(null)

/** Opens the dialog for opening an account, and loads its code. */
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

/** The slot where the dialog appears once its code is loaded. */
export function ConnectDialogSlot() {
  const { value } = dialog
  if (!isOpen.value || !value) return null
  return <value.Inside onClose={shut} />
}
