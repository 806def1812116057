/** A choice that this browser has kept; null where it has none, or keeps nothing. */
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
