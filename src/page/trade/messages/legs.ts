/** The labels of how far a take profit and a stop loss are from the entry, by their side of it. */
export const LEG_DISTANCES = {
  above: { TAKE_PROFIT: 'TP % above entry', STOP_LOSS: 'SL % above entry' },
  below: { TAKE_PROFIT: 'TP % below entry', STOP_LOSS: 'SL % below entry' },
} as const
