import { numberOf } from '../../core/json.ts'
import { MONTH_MS, SPANS, spanEnd } from '../market/price/spans.ts'
import { camelCased, newRows, rowsOf, textOf } from './rows.ts'
import type { LiveTopic } from './topic.ts'

/** Topics that tell what is new: nothing is told to who has just subscribed. */

/** The growing candle; the one that has just ended is told once more, with what it ended as. */
export function candles(symbol: string, interval: string): LiveTopic {
  const spanMs = SPANS.get(interval) ?? MONTH_MS
  const type = interval === '1M' ? '1mon' : interval
  return {
    symbol,
    beatMs: 1000,
    read: ({ peek }) => rowsOf(peek(`/v1/kline?symbol=${symbol}&type=${type}&limit=2`)),
    tell: (now, before) =>
      newRows(now, before, textOf)
        .toReversed()
        .map(({ start_timestamp, end_timestamp, ...values }) => ({
          ...values,
          symbol,
          type: interval,
          startTime: start_timestamp,
          endTime: end_timestamp ?? spanEnd(spanMs, numberOf(start_timestamp) ?? 0),
        })),
  }
}

const LIQUIDATIONS_LOOKED_AT = 100

export function liquidations(): LiveTopic {
  return {
    symbol: null,
    beatMs: 1000,
    read: ({ peek }) =>
      rowsOf(peek(`/v1/public/liquidated_positions?size=${LIQUIDATIONS_LOOKED_AT}`)),
    tell: (now, before) => {
      const fresh = newRows(now, before, (row) => String(numberOf(row['liquidation_id'])))
      return fresh.length === 0 ? [] : [fresh.map(camelCased)]
    },
  }
}

export function announcements(): LiveTopic {
  return {
    symbol: null,
    beatMs: 1000,
    read: ({ peek }) => rowsOf(peek('/v1/public/announcement')),
    tell: (now, before) => newRows(now, before, textOf),
  }
}

/** The state of the system, when it has become another. */
export function maintenance(): LiveTopic {
  return {
    symbol: null,
    beatMs: 1000,
    read: ({ peek }) => peek('/v1/public/system_info'),
    tell: (now, before) => (before === undefined || textOf(now) === textOf(before) ? [] : [[now]]),
  }
}
