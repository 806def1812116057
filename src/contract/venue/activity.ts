/** Activity of the embedded venue's simulated order flow, as a multiple of normal. */
export const FLOW_RATES = { calm: 0.5, normal: 1, busy: 2 } as const

export type FlowActivity = keyof typeof FLOW_RATES

/**
 * Levels of simulated activity. `sparse` has only occasional trades of single agents, without order flow. Worlds that
 * older versions stored keep this level.
 */
export const ACTIVITIES = ['sparse', 'calm', 'normal', 'busy'] as const

export type Activity = (typeof ACTIVITIES)[number]
