import { signal } from '@preact/signals'
import { tellFailure } from '../notes.ts'

type Charts = typeof import('./charts.ts')['CHARTS']

/** What paints; null until it has come. It is asked for at once, and nothing else waits for it. */
export const charts = signal<Charts | null>(null)

import('./charts.ts').then(({ CHARTS }) => {
  charts.value = CHARTS
}, tellFailure)
