/** The texts of the question whether to delete the trading key, loaded with it. */
export const FORGET_TEXTS = {
  forgetNow: 'Forget the key',
  notRead: 'could not be read',
  noneOpen: 'none',
  forgot: 'The key is forgotten in this browser.',
  notForgotten: 'This browser could not delete it. Try again.',
  loss: {
    injected:
      'Removes the key from this browser. The account stays as it is; your wallet can bind a new key.',
    saveable:
      'Removes the key from this browser. Only the wallet’s secret opens this account again. Save it first, or the account is lost.',
    gone: 'Removes the key from this browser. This page does not have the wallet’s secret: without it the account is lost.',
  },
} as const
