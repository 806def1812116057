import { type ChartOptions, ColorType, CrosshairMode, type DeepPartial } from 'lightweight-charts'
import { colour } from '../../common/theme.ts'

/** The locale of the page's texts. A browser's formatters may reject the browser's own locale. */
const LOCALE = 'en-GB'

/** The options of both charts in the current theme. The attribution that the library's licence requires is in the footer. */
export function chartOptions(): DeepPartial<ChartOptions> {
  const line = colour('line')
  return {
    autoSize: true,
    localization: { locale: LOCALE },
    layout: {
      attributionLogo: false,
      panes: { separatorColor: line, separatorHoverColor: line },
      background: { type: ColorType.Solid, color: colour('panel') },
      textColor: colour('quiet'),
      fontFamily: getComputedStyle(document.documentElement).fontFamily,
      fontSize: 11,
    },
    grid: { vertLines: { color: line }, horzLines: { color: line } },
    crosshair: { mode: CrosshairMode.Normal },
    rightPriceScale: { borderColor: line },
    timeScale: { borderColor: line, timeVisible: true, secondsVisible: false, rightOffset: 4 },
  }
}

/** A colour with an alpha value. */
export function translucentColour(color: string, alpha: number): string {
  const [, inside = '0, 0, 0'] = /\(([^()]+)\)/.exec(color) ?? []
  const [red = '0', green = '0', blue = '0'] = inside.split(/[ ,]+/)
  return `rgba(${red}, ${green}, ${blue}, ${alpha})`
}
