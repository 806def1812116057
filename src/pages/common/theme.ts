import { signal } from '@preact/signals'
import { readKept, storeChoice } from './kept.ts'

/** Incremented when the colours change, so that canvases are painted again. */
export const themeChanges = signal(0)

/** Applies the theme stored on this device; without a stored theme, the system's theme. */
export function startTheme(): void {
  const kept = readKept('theme')
  if (kept === 'light' || kept === 'dark') document.documentElement.dataset['theme'] = kept
  SYSTEM_DARK.addEventListener('change', repaint)
}

/** Switches between light and dark, and keeps the choice on this device. */
export function toggleTheme(): void {
  const { dataset } = document.documentElement
  const { theme = SYSTEM_DARK.matches ? 'dark' : 'light' } = dataset
  const next = theme === 'dark' ? 'light' : 'dark'
  dataset['theme'] = next
  storeChoice('theme', next)
  repaint()
}

/** The value of a style sheet colour in the current theme. */
export function colour(name: string): string {
  const probe = document.createElement('i')
  probe.style.color = `var(--${name})`
  document.body.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

const SYSTEM_DARK = matchMedia('(prefers-color-scheme: dark)')

function repaint(): void {
  themeChanges.value += 1
}
