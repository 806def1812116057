import { type Signal, signal } from '@preact/signals'

/** Reads a choice that this browser has stored; null if there is no choice or storage is denied. */
export function readKept(name: string): string | null {
  try {
    return localStorage.getItem(name)
  } catch {
    return null
  }
}

/** Stores a choice for later visits, if the browser allows it. */
export function storeChoice(name: string, value: string): void {
  try {
    localStorage.setItem(name, value)
  } catch {
    // Ignores the error: if storage is denied, each visit starts with the defaults.
  }
}

/** A signal whose value this browser stores as text and restores on later visits. */
export function keptSignal<T>(
  name: string,
  read: (text: string) => T,
  write: (value: T) => string,
): Signal<T> {
  const kept = signal(read(readKept(name) ?? ''))
  let text = write(kept.peek())
  kept.subscribe((value) => {
    if (write(value) === text) return
    text = write(value)
    storeChoice(name, text)
  })
  return kept
}

/** A stored switch that is on by default. */
export function keptSwitch(name: string): Signal<boolean> {
  return keptSignal(
    name,
    (text) => text !== 'off',
    (isOn) => (isOn ? 'on' : 'off'),
  )
}

/** A stored set of names. */
export function keptNames(name: string): Signal<ReadonlySet<string>> {
  return keptSignal<ReadonlySet<string>>(
    name,
    (text) => new Set(text.split(' ').filter(Boolean)),
    (names) => [...names].join(' '),
  )
}
