/**
 * The reads for an account's figures, in the order of sending. In this order, a conditional order that triggers between
 * the reads counts twice. In a different order, it could be missed.
 */
export const FIGURE_READS = ['/v1/algo/orders?status=INCOMPLETE&size=500', '/v1/positions'] as const

export const [CONDITIONALS, POSITIONS] = FIGURE_READS
