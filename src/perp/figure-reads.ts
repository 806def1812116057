/** The reads that give the figures of an account, in this order: an order that triggers between them counts twice. */
export const FIGURE_READS = ['/v1/algo/orders?status=INCOMPLETE&size=500', '/v1/positions'] as const
