/** The leverages an account may choose: the same in every world, at any time. */
export const LEVERAGES = {
  path: '/v1/public/config',
  content: { available_futures_leverage: '1,2,3,4,5,10,15,20,50,100' },
} as const
