/** The texts of the list of keys, loaded with it. */
export const KEY_TEXTS = {
  title: 'Keys',
  isOn: 'Use these keys',
  why: 'They work while no field is being filled in.',
  rows: {
    buy: 'Buy',
    sell: 'Sell',
    limit: 'Limit order',
    market: 'Market order',
    share: 'Size: 25, 50, 75 or 100 % of the largest',
    review: 'Review the order',
    leave: 'Leave a field, close a dialog',
    search: 'Search markets',
    help: 'This list',
  },
} as const
