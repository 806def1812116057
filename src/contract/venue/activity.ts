/** How much the simulated order flow of the embedded venue does, as a multiple of what is normal. */
export const FLOW_RATES = { calm: 0.5, normal: 1, busy: 2 } as const

export type FlowActivity = keyof typeof FLOW_RATES

/**
 * The activities of the flow, and before them the one without: single agents trade now and then, as they do for good in
 * worlds that were stored before there was a flow.
 */
export const ACTIVITIES = ['sparse', 'calm', 'normal', 'busy'] as const

export type Activity = (typeof ACTIVITIES)[number]
