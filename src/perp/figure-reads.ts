/** The reads for an account's figures, in the order of sending. An order that triggers in between counts twice. */
export const FIGURE_READS = ['/v1/algo/orders?status=INCOMPLETE&size=500', '/v1/positions'] as const
