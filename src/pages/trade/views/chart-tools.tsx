import { computed, signal, useSignalEffect } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { compact, displayDecimal, fixedText, percent } from '../../common/format.ts'
import { themeChanges } from '../../common/theme.ts'
import type { ChartSurface } from '../chart/candle-chart.ts'
import { hoveredTime, INDICATORS, indicators, isFull, toggleIndicator } from '../chart/choices.ts'
import { liveCandles } from '../market/state.ts'
import { notifyFailure } from '../messages/notices.ts'
import { PAGE_TEXTS } from '../messages/page.ts'

type Overlays = typeof import('../chart/overlays.ts')

/** The code that computes and draws indicators; null until the user chooses an indicator and the code is loaded. */
const loaded = signal<Overlays | null>(null)

/** The lines and bars of the chosen indicators. */
const overlays = computed(
  () => loaded.value?.indicatorOverlays(indicators.value, liveCandles.value) ?? [],
)

/** Draws the chosen indicators on a chart. */
export function Indicators({ ground }: { readonly ground: ChartSurface }) {
  const draw = useRef<ReturnType<Overlays['createOverlaySeries']> | null>(null)
  useSignalEffect(() => {
    if (indicators.value.length === 0 || loaded.peek()) return
    import('../chart/overlays.ts').then((found) => {
      loaded.value = found
    }, notifyFailure)
  })
  useLayoutEffect(
    () => () => {
      draw.current = null
    },
    [],
  )
  useSignalEffect(() => {
    if (!loaded.value || themeChanges.value < 0) return
    draw.current ??= loaded.value.createOverlaySeries(ground.chart)
    draw.current(overlays.value, liveCandles.value)
  })
  return null
}

/** The figures of the candle below the pointer, or of the last candle. */
export function Legend({ places }: { readonly places: number }) {
  const rows = liveCandles.value
  const found = rows.findIndex(({ time }) => time === hoveredTime.value)
  const at = found < 0 ? rows.length - 1 : found
  const row = rows[at]
  if (!row) return null
  const text = (price: number) => fixedText(displayDecimal(price.toFixed(places)), places)
  const { open, high, low, close, volume } = row
  const figures = [
    [PAGE_TEXTS.chart.open, text(open)],
    [PAGE_TEXTS.chart.high, text(high)],
    [PAGE_TEXTS.chart.low, text(low)],
    [PAGE_TEXTS.chart.close, text(close)],
    [PAGE_TEXTS.chart.volume, compact(displayDecimal(volume.toFixed(2)))],
  ] as const
  const change = percent(displayDecimal((close / open - 1).toFixed(8)), 2)
  return (
    <div class="legend">
      {figures.map(([name, value]) => (
        <span key={name}>
          <i>{name}</i> {value}
        </span>
      ))}
      <span class={close < open ? 'down' : 'up'}>{change}</span>
      {overlays.value.map(({ key, title, color, values }) => {
        const value = values[at]
        if (typeof value !== 'number') return null
        return (
          <span key={key} data-indicator={key} class={color}>
            {title} {text(value)}
          </span>
        )
      })}
    </div>
  )
}

/** The menu of indicators. The browser closes a popover on Escape and on a click outside. */
export function IndicatorMenu() {
  return (
    <>
      <button type="button" class="plain" popovertarget="indicators">
        {PAGE_TEXTS.chart.indicators}
      </button>
      <fieldset id="indicators" popover="auto" aria-label={PAGE_TEXTS.chart.indicators}>
        {INDICATORS.map((name) => (
          <label key={name} class="check">
            <input
              type="checkbox"
              checked={indicators.value.includes(name)}
              onChange={() => toggleIndicator(name)}
            />{' '}
            {PAGE_TEXTS.chart.indicatorNames[name]}
          </label>
        ))}
      </fieldset>
    </>
  )
}

/** The button for a full-window chart. Escape leaves the full window, unless a dialog or popover is open. */
export function FullScreen() {
  useEffect(() => {
    const leave = ({ key, defaultPrevented }: KeyboardEvent) => {
      if (key === 'Escape' && !defaultPrevented && !document.querySelector(':modal,:popover-open'))
        isFull.value = false
    }
    document.addEventListener('keydown', leave)
    return () => document.removeEventListener('keydown', leave)
  }, [])
  return (
    <button
      type="button"
      class="plain"
      aria-pressed={isFull.value}
      aria-label={PAGE_TEXTS.chart.full}
      title={PAGE_TEXTS.chart.full}
      onClick={() => {
        isFull.value = !isFull.peek()
      }}
    >
      <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
        <path d="M1 4V1h3M8 1h3v3M11 8v3H8M4 11H1V8" fill="none" stroke="currentColor" />
      </svg>
    </button>
  )
}
