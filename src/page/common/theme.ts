import { signal } from '@preact/signals'

const KEY = 'theme'

/** Bumped when the colours change, so that what is painted on a canvas is painted again. */
export const themeChanges = signal(0)

/** Takes up the theme that was chosen here before; without one, the system's. */
export function startTheme(): void {
  const chosen = readChoice()
  if (chosen) document.documentElement.dataset['theme'] = chosen
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    themeChanges.value += 1
  })
}

/** Light becomes dark and dark light, and stays so on this device. */
export function toggleTheme(): void {
  const next = isDark() ? 'light' : 'dark'
  document.documentElement.dataset['theme'] = next
  try {
    localStorage.setItem(KEY, next)
  } catch {
    // A browser that keeps nothing keeps no theme either.
  }
  themeChanges.value += 1
}

/** A colour of the style sheet as it is under the theme in force. */
export function colour(name: string): string {
  const probe = document.createElement('i')
  probe.style.color = `var(--${name})`
  document.body.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

function isDark(): boolean {
  const chosen = document.documentElement.dataset['theme']
  return chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches
}

function readChoice(): 'light' | 'dark' | null {
  try {
    const kept = localStorage.getItem(KEY)
    return kept === 'light' || kept === 'dark' ? kept : null
  } catch {
    return null
  }
}
