import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { tellFailure } from '../../messages/notices.ts'

type Room = ComponentType<{ readonly onClose: () => void }>

const isOpen = signal(false)
const room = signal<{ readonly Inside: Room } | null>(null)

/** Opens the way to an account. What it takes is loaded only when somebody asks for it. */
export function openConnect(): void {
  isOpen.value = true
  import('./dialog.tsx').then(
    ({ ConnectDialog }) => {
      room.value = { Inside: ConnectDialog }
    },
    (error: unknown) => {
      isOpen.value = false
      tellFailure(error)
    },
  )
}

function shut(): void {
  isOpen.value = false
}

/** Where the dialog stands once it is asked for. */
export function ConnectDoor() {
  const { value } = room
  if (!isOpen.value || !value) return null
  return <value.Inside onClose={shut} />
}
