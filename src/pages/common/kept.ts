import { type Signal, signal } from '@preact/signals'

/** A choice that this browser has kept; null if it has kept no choice or denies storage. */
export function readKept(name: string): string | null {
  try {
    return localStorage.getItem(name)
  } catch {
    return null
  }
}

/** Keeps a choice for the next time the page is opened, where the browser allows it. */
export function keep(name: string, value: string): void {
  try {
    localStorage.setItem(name, value)
  } catch {
    // A browser that keeps nothing starts with the defaults each time.
  }
}

/** A signal whose value this browser keeps as a text, and takes up when the page is opened again. */
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
    keep(name, text)
  })
  return kept
}

/** A switch that is on until it is switched off in this browser. */
export function keptSwitch(name: string): Signal<boolean> {
  return keptSignal(
    name,
    (text) => text !== 'off',
    (isOn) => (isOn ? 'on' : 'off'),
  )
}

/** A set of names that this browser keeps. */
export function keptNames(name: string): Signal<ReadonlySet<string>> {
  return keptSignal<ReadonlySet<string>>(
    name,
    (text) => new Set(text.split(' ').filter(Boolean)),
    (names) => [...names].join(' '),
  )
}
